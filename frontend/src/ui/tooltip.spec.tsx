import { act, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip, tooltipBubblePart } from '@/ui/tooltip';

beforeAll(() => tooltipBubblePart.preload());
beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  // Lets the delay-free period after a closed tooltip pass, so that tests are independent.
  jest.advanceTimersByTime(1_000);
  jest.useRealTimers();
});

const renderTooltips = (): void => {
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
const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const hover = (name: string, pointerType = 'mouse'): void => {
  fireEvent.pointerMove(button(name), { pointerType });
};
const advanceTime = (durationMs: number): void => act(() => jest.advanceTimersByTime(durationMs));
const shownText = (): string | null => screen.queryByRole('tooltip')?.textContent ?? null;

it('opens after 700 ms', () => {
  renderTooltips();
  hover('one');
  advanceTime(699);
  expect(shownText()).toBeNull();
  advanceTime(1);
  expect(shownText()).toBe('the first');
});

it('opens the next one at once within 300 ms, and after the full delay later', () => {
  renderTooltips();
  hover('one');
  advanceTime(700);
  fireEvent.pointerLeave(button('one'));
  expect(shownText()).toBeNull();
  advanceTime(299);
  hover('two');
  expect(shownText()).toBe('the second');

  fireEvent.pointerLeave(button('two'));
  advanceTime(300);
  hover('one');
  expect(shownText()).toBeNull();
  advanceTime(700);
  expect(shownText()).toBe('the first');
});

it('opens at once on keyboard focus, as the description of the control', () => {
  renderTooltips();
  fireEvent.focus(button('one'));
  expect(shownText()).toBe('the first');
  expect(button('one')).toHaveAccessibleDescription('the first');
  fireEvent.blur(button('one'));
  expect(shownText()).toBeNull();
  expect(button('one')).not.toHaveAttribute('aria-describedby');
});

it('closes on Escape, on a press, and when its control scrolls', () => {
  renderTooltips();
  fireEvent.focus(button('one'));
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(shownText()).toBeNull();
  fireEvent.focus(button('one'));
  fireEvent.pointerDown(button('one'));
  expect(shownText()).toBeNull();
  fireEvent.pointerUp(document);
  fireEvent.focus(button('one'));
  fireEvent.scroll(document);
  expect(shownText()).toBeNull();
});

it('does not open on touch, or on focus caused by a press', () => {
  renderTooltips();
  hover('one', 'touch');
  advanceTime(700);
  fireEvent.pointerDown(button('one'));
  fireEvent.focus(button('one'));
  advanceTime(700);
  expect(shownText()).toBeNull();
});

it('closes when its control is removed', () => {
  const { unmount } = render(
    <Tooltip label="alone">
      <button type="button">one</button>
    </Tooltip>,
  );
  fireEvent.focus(button('one'));
  expect(shownText()).toBe('alone');
  unmount();
  expect(shownText()).toBeNull();
});
