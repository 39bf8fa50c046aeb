import { act, renderHook } from '@testing-library/react';
import { useArrival } from '@/chat-ui/message-list/use-arrival';
import { aMessage } from '@/testing/factories';

const rows = (...keys: string[]) => keys.map((key) => aMessage({ key }));

const open = (...keys: string[]) => {
  const { result, rerender } = renderHook(({ messages }) => useArrival(messages), {
    initialProps: { messages: rows(...keys) },
  });
  return { result, become: (...next: string[]) => rerender({ messages: rows(...next) }) };
};

it('animates an appended row once', () => {
  const { result, become } = open('a');
  expect(result.current.arriving).toBeNull();
  become('a', 'b');
  expect(result.current.arriving).toBe('b');
  act(() => result.current.arrived());
  expect(result.current.arriving).toBeNull();
  become('a', 'b');
  expect(result.current.arriving).toBeNull();
});

it('animates neither the row that is last after a removal, nor history, nor the rows of the first load', () => {
  const { result, become } = open('a', 'b');
  become('a');
  expect(result.current.arriving).toBeNull();
  become('z', 'a');
  expect(result.current.arriving).toBeNull();
  become();
  become('a', 'b', 'c');
  expect(result.current.arriving).toBeNull();
});

it('keeps an arrival that is not in view yet while history is loaded above it', () => {
  const { result, become } = open('a');
  become('a', 'b');
  become('z', 'a', 'b');
  expect(result.current.arriving).toBe('b');
});
