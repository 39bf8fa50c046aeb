import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { type SharedPlace } from '@/lib/shared-place';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface PagePresenceOptions {
  clock: Clock;
  /** Tracks which tabs of this browser show the chat. */
  openTabs: Pick<SharedPlace, 'enter' | 'leave' | 'isOpenElsewhere'>;
  getSocket: () => FeatureSocket & { resync: () => void };
  getChat: () => { phase: Phase; sessionId: string | undefined };
  endSearchOrChat: () => void;
}

/** Delay before a report is repeated, when the server names none. */
const retryDelayMs = 1_000;

/**
 * Reports to the server whether this page shows the random chat, as `showsChat` of `authenticate` and `show_chat`.
 * Every page keeps a socket open (A143), so an open socket does not say that the user sees the chat. A chat that no
 * page shows ends after the grace period (A51). The page itself ends a search or chat that neither it nor another tab
 * shows (A59).
 */
export const createPagePresence = ({
  clock,
  openTabs,
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
    const isShownInOtherTab = await openTabs.isOpenElsewhere();
    if (isChatShown || isShownInOtherTab) return;
    // Without Web Locks another tab may show the chat unnoticed: the server ends the chat when no tab does.
    if (isShownInOtherTab === undefined && getChat().phase === 'active') return;
    endSearchOrChat();
  };

  /** Runs the timer that ends a search or chat while this page does not show it. */
  const updateEndTimer = (): void => {
    if (isChatShown || !isSearchingOrChatting()) {
      clock.clearTimeout(endTimer);
      endTimer = undefined;
    } else if (endTimer === undefined) {
      endTimer = clock.setTimeout(() => {
        endTimer = undefined;
        // Starts again while the chat continues, because the other tab may be closed later.
        void endUnlessShownInOtherTab().then(updateEndTimer);
      }, pageLimits.leaveChatDelayMs);
    }
  };

  const reportIfChanged = (): void => {
    const { phase, sessionId } = getChat();
    if (reportedShowsChat === undefined || reportedShowsChat === isChatShown || !getSocket().isOpen) return;
    // Outside a chat there is no session to name; `authenticate` carries the value for the next one.
    if (phase !== 'active' || sessionId === undefined) return getSocket().resync();
    const showsChat = isChatShown;
    reportedShowsChat = showsChat;
    getSocket()
      .request('show_chat', { sessionId, showsChat })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        // After a reconnect `authenticate` carries the value; a chat that has ended needs no report.
        const shouldRetry = error.failure === 'timeout' || error.code === 'rate_limited';
        if (!shouldRetry || reportedShowsChat !== showsChat) return;
        reportedShowsChat = !showsChat;
        clock.setTimeout(reportIfChanged, error.retryAfterMs ?? retryDelayMs);
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
      openTabs.enter();
      update();
    },
    /** The page shows something else: a search ends at once, a chat after a delay (A59). */
    hide: (): void => {
      isChatShown = false;
      openTabs.leave();
      if (getChat().phase !== 'active') void endUnlessShownInOtherTab();
      update();
    },
  };
};
