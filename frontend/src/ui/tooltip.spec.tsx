import { act, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip, TooltipProvider } from '@/ui/tooltip';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const open = (): void => {
  render(
    <TooltipProvider>
      <Tooltip label="the first">
        <button type="button">one</button>
      </Tooltip>
      <Tooltip label="the second">
        <button type="button">two</button>
      </Tooltip>
    </TooltipProvider>,
  );
};
const control = (name: string): HTMLElement => screen.getByRole('button', { name });
const point = (name: string): void => {
  fireEvent.pointerMove(control(name), { pointerType: 'mouse' });
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

it('opens at once for the keyboard', () => {
  open();
  fireEvent.focus(control('one'));
  expect(shown()).toBe('the first');
});

it('needs no provider by itself', () => {
  render(
    <Tooltip label="alone">
      <button type="button">one</button>
    </Tooltip>,
  );
  fireEvent.focus(control('one'));
  expect(shown()).toBe('alone');
});
