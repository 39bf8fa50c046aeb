import { type Notice } from '@thaw/contract/safety';
import { create } from 'zustand';

interface NoticeDialogState {
  /** The notice that the user has opened, for example from the list of notices. */
  openedId: number | null;
  /** Notices closed since the page load. Those that were not marked as seen are shown again at the next page load. */
  closedIds: ReadonlySet<number>;
}

const initialState: NoticeDialogState = { openedId: null, closedIds: new Set() };

export const useNoticeDialog = create<NoticeDialogState>()(() => initialState);

export const openNotice = (openedId: number): void => useNoticeDialog.setState({ openedId });

export const closeNotice = (noticeId: number): void =>
  useNoticeDialog.setState(({ closedIds }) => ({
    openedId: null,
    closedIds: new Set([...closedIds, noticeId]),
  }));

/** Called when another user signs in on this page. */
export const resetNoticeDialog = (): void => useNoticeDialog.setState(initialState);

/**
 * The notice to show: the one that the user opened, else the newest one that was neither seen nor closed.
 * @param notices newest first
 */
export const selectShownNotice = (
  { openedId, closedIds }: NoticeDialogState,
  notices: readonly Notice[],
): Notice | undefined =>
  notices.find(({ id }) => id === openedId) ??
  notices.find(({ id, seenAt }) => seenAt === null && !closedIds.has(id));
