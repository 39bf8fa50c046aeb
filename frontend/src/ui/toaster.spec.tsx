import { act, render, screen } from '@testing-library/react';
import { toast, useToasts } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

beforeEach(() => {
  jest.useFakeTimers();
  useToasts.setState({ shown: null });
});
afterEach(() => jest.useRealTimers());

/** The title is the first `div` of a toast. */
const listTitles = (): (string | null)[] =>
  screen.queryAllByRole('listitem').map((item) => item.querySelector('div')?.textContent ?? null);

it('a new toast replaces the old one', () => {
  render(<Toaster />);
  act(() => toast({ title: 'one' }));
  act(() => toast({ title: 'two', description: 'more' }));
  expect(listTitles()).toEqual(['two']);
});

it('shows a toast for 5000 ms', () => {
  render(<Toaster />);
  act(() => toast({ title: 'one' }));
  act(() => jest.advanceTimersByTime(4_999));
  expect(listTitles()).toEqual(['one']);
  act(() => jest.advanceTimersByTime(1));
  expect(listTitles()).toEqual([]);
});

it('shows a toast for the full time when it replaces one with the same text', () => {
  render(<Toaster />);
  act(() => toast({ title: 'one' }));
  act(() => jest.advanceTimersByTime(4_000));
  act(() => toast({ title: 'one' }));
  act(() => jest.advanceTimersByTime(4_000));
  expect(listTitles()).toEqual(['one']);
});

it('names F8, the hotkey that moves the focus to the toasts, in the label of their region', () => {
  render(<Toaster />);
  expect(screen.getByRole('region', { name: /F8/ })).toBeInTheDocument();
});
