import '@testing-library/jest-dom';
import { configure } from '@testing-library/react';

// Long, so that tests do not fail on a busy machine.
configure({ asyncUtilTimeout: 10_000 });

// jsdom has no layout: without a size the virtual list renders no rows.
for (const property of ['clientHeight', 'clientWidth']) {
  Object.defineProperty(HTMLElement.prototype, property, { configurable: true, get: () => 600 });
}

// Browser APIs that jsdom lacks.
HTMLElement.prototype.scrollTo = () => undefined;

class PointerEventOfTest extends MouseEvent {
  readonly pointerType: string;

  constructor(type: string, init: PointerEventInit = {}) {
    super(type, init);
    this.pointerType = init.pointerType ?? '';
  }
}

class NoopObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Object.assign(globalThis, { ResizeObserver: NoopObserver, PointerEvent: PointerEventOfTest });
Object.assign(window, {
  matchMedia: (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
});
HTMLElement.prototype.scrollIntoView = () => undefined;
HTMLElement.prototype.hasPointerCapture = () => false;
