import { TestEnvironment } from 'jest-environment-jsdom';

/** The environment of jsdom, plus globals that jsdom lacks; they are taken from Node. */
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
