import { act, renderHook } from '@testing-library/react';
import { useArrival } from '@/chat-ui/message-list/use-arrival';
import { aMessage } from '@/testing/factories';

const toMessages = (...keys: string[]) => keys.map((key) => aMessage({ key }));

const renderRows = (...keys: string[]) => {
  const { result, rerender } = renderHook(({ messages }) => useArrival(messages), {
    initialProps: { messages: toMessages(...keys) },
  });
  return { result, showRows: (...next: string[]) => rerender({ messages: toMessages(...next) }) };
};

it('animates an appended row once', () => {
  const { result, showRows } = renderRows('a');
  expect(result.current.arrivingKey).toBeNull();
  showRows('a', 'b');
  expect(result.current.arrivingKey).toBe('b');
  act(() => result.current.finishArrival());
  expect(result.current.arrivingKey).toBeNull();
  showRows('a', 'b');
  expect(result.current.arrivingKey).toBeNull();
});

it('does not animate the new last row after a removal, older rows above, or the first rows of an empty list', () => {
  const { result, showRows } = renderRows('a', 'b');
  showRows('a');
  expect(result.current.arrivingKey).toBeNull();
  showRows('z', 'a');
  expect(result.current.arrivingKey).toBeNull();
  showRows();
  showRows('a', 'b', 'c');
  expect(result.current.arrivingKey).toBeNull();
});

it('continues the animation of an appended row when older rows are loaded above it', () => {
  const { result, showRows } = renderRows('a');
  showRows('a', 'b');
  showRows('z', 'a', 'b');
  expect(result.current.arrivingKey).toBe('b');
});
