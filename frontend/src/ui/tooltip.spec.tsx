import { act, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip, tooltipBubblePart } from '@/ui/tooltip';

beforeAll(() => tooltipBubblePart.preload());
beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  // No tooltip was closed just before the next test.
  jest.advanceTimersByTime(1_000);
  jest.useRealTimers();
});

const open = (): void => {
  render(
    <>
      <Tooltip label="the first">
        <button type="button">one</button>
      </Tooltip>
      <Tooltip label="the second">
        <button type="button">two</button>
      </Tooltip>
    </>,
  );
};
const control = (name: string): HTMLElement => screen.getByRole('button', { name });
const point = (name: string, pointerType = 'mouse'): void => {
  fireEvent.pointerMove(control(name), { pointerType });
};
const pass = (durationMs: number): void => act(() => jest.advanceTimersByTime(durationMs));
const shown = (): string | null => screen.queryByRole('tooltip')?.textContent ?? null;

it('opens after 700 ms', () => {
  open();
  point('one');
  pass(699);
  expect(shown()).toBeNull();
  pass(1);
  expect(shown()).toBe('the first');
});

it('opens the next one at once within 300 ms, and after the whole delay later', () => {
  open();
  point('one');
  pass(700);
  fireEvent.pointerLeave(control('one'));
  expect(shown()).toBeNull();
  pass(299);
  point('two');
  expect(shown()).toBe('the second');

  fireEvent.pointerLeave(control('two'));
  pass(300);
  point('one');
  expect(shown()).toBeNull();
  pass(700);
  expect(shown()).toBe('the first');
});

it('opens at once for the keyboard, as the description of the control', () => {
  open();
  fireEvent.focus(control('one'));
  expect(shown()).toBe('the first');
  expect(control('one')).toHaveAccessibleDescription('the first');
  fireEvent.blur(control('one'));
  expect(shown()).toBeNull();
  expect(control('one')).not.toHaveAttribute('aria-describedby');
});

it('closes by Escape, by a press, and when its control scrolls', () => {
  open();
  fireEvent.focus(control('one'));
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(shown()).toBeNull();
  fireEvent.focus(control('one'));
  fireEvent.pointerDown(control('one'));
  expect(shown()).toBeNull();
  fireEvent.pointerUp(document);
  fireEvent.focus(control('one'));
  fireEvent.scroll(document);
  expect(shown()).toBeNull();
});

it('does not open for a finger, or for the focus that a press brings', () => {
  open();
  point('one', 'touch');
  pass(700);
  fireEvent.pointerDown(control('one'));
  fireEvent.focus(control('one'));
  pass(700);
  expect(shown()).toBeNull();
});

it('goes with its control', () => {
  const { unmount } = render(
    <Tooltip label="alone">
      <button type="button">one</button>
    </Tooltip>,
  );
  fireEvent.focus(control('one'));
  expect(shown()).toBe('alone');
  unmount();
  expect(shown()).toBeNull();
});
