import { act, renderHook } from '@testing-library/react';
import { useJumpToMessage } from '@/features/private-chat/hooks/use-jump-to-message';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { flushPromises } from '@/testing/flush-promises';

const friendId = 12;

afterEach(() => jest.restoreAllMocks());

/** Jumps to message 1 of a conversation that contains it only after `neededPages` more pages. */
const jumpToMessageAfterPages = async (neededPages: number) => {
  let loadedPages = 0;
  jest.spyOn(privateChats, 'isLoaded').mockImplementation(() => loadedPages >= neededPages);
  const loadOlder = jest.fn(() => {
    loadedPages += 1;
    return Promise.resolve(true);
  });
  const jumpTo = jest.fn(() => true);
  const list = { current: { jumpTo, scrollToEnd: () => undefined } };
  const rows: Parameters<typeof useJumpToMessage>[1] = [];
  const { result, rerender } = renderHook(() => useJumpToMessage(friendId, rows, loadOlder, list));
  await act(async () => {
    result.current('1');
    for (let page = 0; page <= neededPages; page += 1) await flushPromises();
  });
  rows.push({ id: '1' } as (typeof rows)[number]);
  rerender();
  return { loadOlder, jumpTo };
};

describe('useJumpToMessage', () => {
  it('jumps to a message in the last page that it may load', async () => {
    const { jumpTo } = await jumpToMessageAfterPages(20);
    expect(jumpTo).toHaveBeenCalledWith('1');
  });

  it('gives up after 20 pages', async () => {
    const { loadOlder, jumpTo } = await jumpToMessageAfterPages(21);
    expect(loadOlder).toHaveBeenCalledTimes(20);
    expect(jumpTo).not.toHaveBeenCalled();
  });
});
