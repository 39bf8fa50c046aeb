import { act, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip, tooltipBubblePart } from '@/ui/tooltip';

beforeAll(() => tooltipBubblePart.preload());
beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  // Lets the delay-free period after a closed tooltip pass, so that tests are independent.
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

it('opens the next one at once within 300 ms, and after the full delay later', () => {
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

it('opens at once on keyboard focus, as the description of the control', () => {
  open();
  fireEvent.focus(control('one'));
  expect(shown()).toBe('the first');
  expect(control('one')).toHaveAccessibleDescription('the first');
  fireEvent.blur(control('one'));
  expect(shown()).toBeNull();
  expect(control('one')).not.toHaveAttribute('aria-describedby');
});

it('closes on Escape, on a press, and when its control scrolls', () => {
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

it('does not open on touch, or on focus caused by a press', () => {
  open();
  point('one', 'touch');
  pass(700);
  fireEvent.pointerDown(control('one'));
  fireEvent.focus(control('one'));
  pass(700);
  expect(shown()).toBeNull();
});

it('closes when its control is removed', () => {
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
