import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { type SharedPlace } from '@/lib/shared-place';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface PagePresenceOptions {
  clock: Clock;
  /** Tracks which tabs of this browser show the chat. */
  chatTabs: Pick<SharedPlace, 'enter' | 'leave' | 'isOpenElsewhere'>;
  getSocket: () => FeatureSocket & { resync: () => void };
  getChat: () => { phase: Phase; sessionId: string | undefined };
  endSearchOrChat: () => void;
}

/** Delay before a report is repeated when the error contains no `retryAfterMs`. */
const defaultRetryDelayMs = 1_000;

/**
 * Whether to repeat a failed report. After a lost connection, the next `authenticate` contains the value. Most other
 * refusals mean that the chat has ended.
 */
const needsRetry = ({ failure, code }: SocketRequestError): boolean =>
  failure === 'timeout' || code === 'rate_limited' || code === 'unavailable';

/**
 * Handles two things (A51, A59 and A143 are in docs/product-decisions.md):
 * - Reports to the server whether this page shows the random chat, as `showsChat` of `authenticate` and `show_chat`.
 *   Every page keeps a socket open (A143), so an open socket does not imply it. The server ends a chat that no page
 *   shows after a grace period (A51).
 * - Ends a search or chat that no tab of this browser shows (A59).
 */
export const createPagePresence = ({
  clock,
  chatTabs,
  getSocket,
  getChat,
  endSearchOrChat,
}: PagePresenceOptions) => {
  let isChatShown = false;
  /** The value last reported on this connection; undefined before the first `authenticate`. */
  let reportedShowsChat: boolean | undefined;
  let endTimer: number | undefined;

  const isSearchingOrChatting = (): boolean =>
    getChat().phase === 'searching' || getChat().phase === 'active';

  const endUnlessShownInOtherTab = async (): Promise<void> => {
    const isShownInOtherTab = await chatTabs.isOpenElsewhere();
    if (isChatShown || isShownInOtherTab) return;
    const isUnknown = isShownInOtherTab === undefined; // no Web Locks, or blocked storage
    // If it is unknown, a chat is left to the server, which ends it if no tab shows it. A search is ended here.
    if (isUnknown && getChat().phase === 'active') return;
    endSearchOrChat();
  };

  /** Starts the timer that ends a search or chat that this page does not show, or stops it. */
  const updateEndTimer = (): void => {
    if (isChatShown || !isSearchingOrChatting()) {
      clock.clearTimeout(endTimer);
      endTimer = undefined;
    } else if (endTimer === undefined) {
      endTimer = clock.setTimeout(() => {
        endTimer = undefined;
        // The timer starts again while the search or chat continues, because the other tab may be closed later.
        void endUnlessShownInOtherTab().then(updateEndTimer);
      }, pageLimits.leaveChatDelayMs);
    }
  };

  const reportIfChanged = (): void => {
    const hasChanged = reportedShowsChat !== undefined && reportedShowsChat !== isChatShown;
    if (!hasChanged || !getSocket().isOpen) return;
    const { phase, sessionId } = getChat();
    // `show_chat` needs a session. Without one, the resync sends `authenticate`, which contains the value.
    if (phase !== 'active' || sessionId === undefined) return getSocket().resync();
    const showsChat = isChatShown;
    const reportedBefore = reportedShowsChat;
    reportedShowsChat = showsChat;
    getSocket()
      .request('show_chat', { sessionId, showsChat })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        const isOutdated = reportedShowsChat !== showsChat;
        if (!needsRetry(error) || isOutdated) return;
        // Restores the previous value, so that `reportIfChanged` finds the change again and repeats the report.
        reportedShowsChat = reportedBefore;
        clock.setTimeout(reportIfChanged, error.retryAfterMs ?? defaultRetryDelayMs);
      });
  };

  const update = (): void => {
    updateEndTimer();
    reportIfChanged();
  };

  return {
    /** Must be called after every change of the chat's state. */
    update,
    /** Returns `showsChat` for an `authenticate` that is about to be sent, and records it as reported. */
    takeShowsChat: (): boolean => {
      reportedShowsChat = isChatShown;
      return isChatShown;
    },
    /** The page shows the chat, possibly after a short absence. */
    show: (): void => {
      isChatShown = true;
      chatTabs.enter();
      update();
    },
    /**
     * The page shows something else. Unless another tab shows the chat, an active chat ends after a delay (A59), a
     * search ends at once, and a chat that has already ended is removed at once.
     */
    hide: (): void => {
      isChatShown = false;
      chatTabs.leave();
      if (getChat().phase !== 'active') void endUnlessShownInOtherTab();
      update();
    },
  };
};
