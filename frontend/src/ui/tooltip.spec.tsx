import { act, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip, tooltipBubblePart } from '@/ui/tooltip';

// The code of the bubble is loaded on demand.
beforeAll(() => tooltipBubblePart.preload());
beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  // Shortly after a tooltip has closed, another one opens without a delay. That must not affect the next test.
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
const getButton = (name: string): HTMLElement => screen.getByRole('button', { name });
const hover = (name: string, pointerType = 'mouse'): void => {
  fireEvent.pointerMove(getButton(name), { pointerType });
};
const advanceTime = (durationMs: number): void => act(() => jest.advanceTimersByTime(durationMs));
const getShownText = (): string | null => screen.queryByRole('tooltip')?.textContent ?? null;

it('a tooltip opens after 700 ms', () => {
  renderTooltips();
  hover('one');
  advanceTime(699);
  expect(getShownText()).toBeNull();
  advanceTime(1);
  expect(getShownText()).toBe('the first');
});

it('a tooltip opens immediately if another closed less than 300 ms ago', () => {
  renderTooltips();
  hover('one');
  advanceTime(700);
  fireEvent.pointerLeave(getButton('one'));
  expect(getShownText()).toBeNull();
  advanceTime(299);
  hover('two');
  expect(getShownText()).toBe('the second');
});

it('a tooltip opens after the full delay if another closed 300 ms ago', () => {
  renderTooltips();
  hover('one');
  advanceTime(700);
  fireEvent.pointerLeave(getButton('one'));
  advanceTime(300);
  hover('two');
  expect(getShownText()).toBeNull();
  advanceTime(700);
  expect(getShownText()).toBe('the second');
});

it('a tooltip opens immediately on keyboard focus, as the description of the control', () => {
  renderTooltips();
  fireEvent.focus(getButton('one'));
  expect(getShownText()).toBe('the first');
  expect(getButton('one')).toHaveAccessibleDescription('the first');
  fireEvent.blur(getButton('one'));
  expect(getShownText()).toBeNull();
  expect(getButton('one')).not.toHaveAttribute('aria-describedby');
});

it.each([
  ['on Escape', () => fireEvent.keyDown(document, { key: 'Escape' })],
  ['on a press', () => fireEvent.pointerDown(getButton('one'))],
  ['when its control scrolls', () => fireEvent.scroll(document)],
])('a tooltip closes %s', (_cause, causeClosing) => {
  renderTooltips();
  fireEvent.focus(getButton('one'));
  expect(getShownText()).toBe('the first');
  causeClosing();
  expect(getShownText()).toBeNull();
});

it('a tooltip does not open on touch', () => {
  renderTooltips();
  hover('one', 'touch');
  advanceTime(700);
  expect(getShownText()).toBeNull();
});

it('a tooltip does not open on focus caused by a press', () => {
  renderTooltips();
  fireEvent.pointerDown(getButton('one'));
  fireEvent.focus(getButton('one'));
  advanceTime(700);
  expect(getShownText()).toBeNull();
});

it('a tooltip opens on keyboard focus after a press that became a scroll', () => {
  renderTooltips();
  fireEvent.pointerDown(getButton('one'));
  fireEvent.pointerCancel(document);
  fireEvent.focus(getButton('one'));
  expect(getShownText()).toBe('the first');
});

it('a tooltip opens although another control loses the focus during its delay', () => {
  renderTooltips();
  hover('two');
  fireEvent.blur(getButton('one'));
  advanceTime(700);
  expect(getShownText()).toBe('the second');
});

it('a tooltip closes when its control is removed', () => {
  const { unmount } = render(
    <Tooltip label="alone">
      <button type="button">one</button>
    </Tooltip>,
  );
  fireEvent.focus(getButton('one'));
  expect(getShownText()).toBe('alone');
  unmount();
  expect(getShownText()).toBeNull();
});
