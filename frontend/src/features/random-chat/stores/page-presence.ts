import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { type SharedPlace } from '@/lib/shared-place';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface PagePresenceOptions {
  clock: Clock;
  /** The tabs of this browser that show the chat. */
  place: Pick<SharedPlace, 'enter' | 'leave' | 'isOpenElsewhere'>;
  socket: () => FeatureSocket & { resync: () => void };
  chat: () => { phase: Phase; sessionId: string | undefined };
  /** Ends the search or the chat. */
  leave: () => void;
}

const announceAgainAfterMs = 1_000;

/**
 * Reports whether this page shows the random chat. Every page keeps a socket (A143), so the server is informed with
 * `showsChat`: a chat that no page shows ends after the grace period, even while a socket of the user is open (A51).
 * The page itself ends a search or chat that it does not show, unless another tab shows it (A59).
 */
export const createPagePresence = ({ clock, place, socket, chat, leave: end }: PagePresenceOptions) => {
  let isHere = false;
  /** The last value sent on this connection; undefined before the first `authenticate`. */
  let announced: boolean | undefined;
  let leaveTimer: number | undefined;

  const isLive = (): boolean => chat().phase === 'searching' || chat().phase === 'active';

  const endUnlessElsewhere = async (): Promise<void> => {
    const isElsewhere = await place.isOpenElsewhere();
    if (isHere || isElsewhere) return;
    // Without Web Locks another tab may show the chat unnoticed: the server ends the chat when no tab does.
    if (isElsewhere === undefined && chat().phase === 'active') return;
    end();
  };

  const watch = (): void => {
    if (isHere || !isLive()) {
      clock.clearTimeout(leaveTimer);
      leaveTimer = undefined;
    } else if (leaveTimer === undefined) {
      leaveTimer = clock.setTimeout(() => {
        leaveTimer = undefined;
        // Checked again while the chat continues, because the other tab may be closed.
        void endUnlessElsewhere().then(watch);
      }, pageLimits.leaveChatDelayMs);
    }
  };

  const announce = (): void => {
    const { phase, sessionId } = chat();
    if (announced === undefined || announced === isHere || !socket().isOpen) return;
    // Outside a chat there is no session to name; `authenticate` carries the value for the next one.
    if (phase !== 'active' || sessionId === undefined) return socket().resync();
    const showsChat = isHere;
    announced = showsChat;
    socket()
      .request('show_chat', { sessionId, showsChat })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        // After a reconnect `authenticate` carries the value; a chat that has ended needs none.
        const isWorthRepeating = error.failure === 'timeout' || error.code === 'rate_limited';
        if (!isWorthRepeating || announced !== showsChat) return;
        announced = !showsChat;
        clock.setTimeout(announce, error.retryAfterMs ?? announceAgainAfterMs);
      });
  };

  const follow = (): void => {
    watch();
    announce();
  };

  return {
    /** To be called after every change of the chat's state. */
    follow,
    /** The value of `showsChat` for an `authenticate` that is about to be sent. */
    announceAtOpening: (): boolean => (announced = isHere),
    /** The page shows the chat (again). */
    enter: (): void => {
      isHere = true;
      place.enter();
      follow();
    },
    /** The page shows something else: a search ends at once, a chat after a delay (A59). */
    leave: (): void => {
      isHere = false;
      place.leave();
      if (chat().phase !== 'active') void endUnlessElsewhere();
      follow();
    },
  };
};
