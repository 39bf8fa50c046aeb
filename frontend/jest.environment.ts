import { TestEnvironment } from 'jest-environment-jsdom';

/** jsdom, with the globals that browsers and Node have and jsdom lacks. */
export default class BrowserEnvironment extends TestEnvironment {
  override async setup() {
    await super.setup();
    Object.assign(this.global, {
      TextEncoder,
      TextDecoder,
      structuredClone,
      Response,
      Request,
      Headers,
      fetch,
    });
  }
}
