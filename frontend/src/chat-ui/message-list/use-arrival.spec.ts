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

it('animates neither the row that is last after a removal, nor older rows, nor the rows of the first load', () => {
  const { result, showRows } = renderRows('a', 'b');
  showRows('a');
  expect(result.current.arrivingKey).toBeNull();
  showRows('z', 'a');
  expect(result.current.arrivingKey).toBeNull();
  showRows();
  showRows('a', 'b', 'c');
  expect(result.current.arrivingKey).toBeNull();
});

it('still animates an appended row that has not finished when older rows are loaded above it', () => {
  const { result, showRows } = renderRows('a');
  showRows('a', 'b');
  showRows('z', 'a', 'b');
  expect(result.current.arrivingKey).toBe('b');
});
