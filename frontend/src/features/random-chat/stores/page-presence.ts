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
 * Reports to the server whether this page shows the random chat, as `showsChat` of `authenticate` and `show_chat`. The
 * server cannot infer it from the open socket, because every page keeps one open (docs/product-decisions.md, A143). It
 * ends a chat that no page shows after a grace period (A51). The page itself ends a search or chat that neither this
 * tab nor another one shows (A59).
 */
export const createPagePresence = ({
  clock,
  chatTabs,
  getSocket,
  getChat,
  endSearchOrChat,
}: PagePresenceOptions) => {
  let isChatShown = false;
  /** The `showsChat` last sent on this connection; undefined before the first `authenticate`. */
  let reportedShowsChat: boolean | undefined;
  let endTimer: number | undefined;

  const isSearchingOrChatting = (): boolean =>
    getChat().phase === 'searching' || getChat().phase === 'active';

  const endUnlessShownInOtherTab = async (): Promise<void> => {
    const isShownInOtherTab = await chatTabs.isOpenElsewhere();
    if (isChatShown || isShownInOtherTab) return;
    // Undefined if this is unknown (no Web Locks, or blocked storage). A chat is then left to the server, which ends it
    // if no tab shows it.
    if (isShownInOtherTab === undefined && getChat().phase === 'active') return;
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
        // The timer is started again while the chat continues, because the other tab may be closed later.
        void endUnlessShownInOtherTab().then(updateEndTimer);
      }, pageLimits.leaveChatDelayMs);
    }
  };

  const reportIfChanged = (): void => {
    const { phase, sessionId } = getChat();
    if (reportedShowsChat === undefined || reportedShowsChat === isChatShown || !getSocket().isOpen) return;
    // `show_chat` needs a session. Without one, the resync sends `authenticate`, which contains the value.
    if (phase !== 'active' || sessionId === undefined) return getSocket().resync();
    const showsChat = isChatShown;
    reportedShowsChat = showsChat;
    getSocket()
      .request('show_chat', { sessionId, showsChat })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        // Other failures need no retry: after a reconnect, `authenticate` contains the value, and a chat that has ended
        // needs no report.
        const shouldRetry = error.failure === 'timeout' || error.code === 'rate_limited';
        if (!shouldRetry || reportedShowsChat !== showsChat) return;
        // The value counts as not reported, so that `reportIfChanged` sends it again.
        reportedShowsChat = !showsChat;
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
    takeShowsChat: (): boolean => (reportedShowsChat = isChatShown),
    /** The page shows the chat, possibly after a short absence. */
    show: (): void => {
      isChatShown = true;
      chatTabs.enter();
      update();
    },
    /**
     * The page shows something else: a search ends at once, a chat after a delay (A59). A chat that has already ended
     * is removed at once.
     */
    hide: (): void => {
      isChatShown = false;
      chatTabs.leave();
      if (getChat().phase !== 'active') void endUnlessShownInOtherTab();
      update();
    },
  };
};
