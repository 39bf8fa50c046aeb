import '@testing-library/jest-dom';
import { configure } from '@testing-library/react';

// A busy machine is no failure.
configure({ asyncUtilTimeout: 10_000 });

// jsdom lays nothing out: the virtual list needs a height to show rows, and observers to be told of it.
for (const property of ['clientHeight', 'clientWidth']) {
  Object.defineProperty(HTMLElement.prototype, property, { configurable: true, get: () => 600 });
}
HTMLElement.prototype.scrollTo = () => undefined;

class StillObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Object.assign(globalThis, { ResizeObserver: StillObserver });
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
