import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { preferenceSchema, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { normalizeText } from '@thaw/contract/text';
import { create } from 'zustand';
import { createGamePlay } from '@/features/random-chat/icebreaker/game-play';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  createInitialState,
  type Action,
  type Effect,
  type RandomChatState,
  type Session,
} from '@/features/random-chat/reducer/random-chat.state';
import { removeDraft } from '@/features/random-chat/stores/draft';
import { createMessageChanges } from '@/features/random-chat/stores/message-changes';
import { createPagePresence } from '@/features/random-chat/stores/page-presence';
import { createQueueCommands } from '@/features/random-chat/stores/queue-commands';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { createRandomOutbox } from '@/features/random-chat/stores/random-outbox';
import { systemClock, type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { pageLimits } from '@/lib/page-limits';
import { getServerNow } from '@/lib/server-clock';
import { SharedPlace } from '@/lib/shared-place';
import { disconnected } from '@/lib/socket/feature-socket';
import { browserStorage } from '@/lib/storage';
import { raise } from '@/product/app-events';
import { currentUser } from '@/product/identity';
import { isSearchAtOnceOn } from '@/product/search-at-once';

export interface RandomChatStore extends RandomChatState {
  /** Number of refused searches; each increment shows a toast. */
  refusalCount: number;
  /** The user has started the game Break the Ice, and the server has not answered yet. */
  isStartingGame: boolean;
}

const toPreferenceKey = (userId: number): string => `thaw-preference-${userId}`;

const readStoredPreference = (userId: number | undefined): Preference => {
  const parsed = preferenceSchema.safeParse(
    userId === undefined ? null : browserStorage.read(toPreferenceKey(userId)),
  );
  return parsed.success ? parsed.data : 'both';
};

/**
 * When `authenticated` shows that the chat has ended, the page waits this long for `chat_skipped` before it closes the
 * chat. The frame normally follows at once; the time allows for a slow connection.
 */
const chatEndTimeoutMs = 5_000;

/** The chat in progress; null while there is none. */
const getActiveSession = ({ phase, session }: RandomChatState): Session | null =>
  phase === 'active' ? session : null;

export interface RandomChatOptions {
  clock: Clock;
  newId: () => string;
  /** Tracks which tabs of this browser show the chat. */
  chatTabs: Pick<SharedPlace, 'enter' | 'leave' | 'isOpenElsewhere'>;
}

/**
 * The store of the random chat with the commands of its screens. The reducer computes each new state and the effects to
 * perform; effects use the socket passed to `attachSocket`.
 */
export const createRandomChat = ({ clock, newId, chatTabs }: RandomChatOptions) => {
  const useStore = create<RandomChatStore>()(() => ({
    ...createInitialState(),
    refusalCount: 0,
    isStartingGame: false,
  }));
  /** Not connected until `attachSocket` is called. */
  let socket: RandomChatSocket = { ...disconnected, resync: () => undefined };
  let typingTimer: number | undefined;
  let chatEndTimer: number | undefined;
  /** The user whose data the store contains. */
  let userId: number | undefined;

  const dispatch = (action: Action): void => {
    const before = useStore.getState();
    const { state, effects } = reduce(before, action);
    if (state !== before) useStore.setState(state);
    removeMessagesOfEndedChats(before, state);
    removeStoredMessages(before, state);
    for (const effect of effects) perform(effect);
    presence.update();
  };

  const outbox = createRandomOutbox({ clock, newId, getSocket: () => socket, dispatch });
  const messageChanges = createMessageChanges({ getSocket: () => socket, dispatch, outbox });

  /** Removes from the outbox the messages of a chat that has ended. */
  const removeMessagesOfEndedChats = (before: RandomChatState, after: RandomChatState): void => {
    const sessionId = getActiveSession(after)?.sessionId;
    if (sessionId !== getActiveSession(before)?.sessionId)
      outbox.keepOnlyConversations((id) => id === sessionId);
  };

  /** Removes from the outbox the messages that the chat on the screen contains, which the server has stored. */
  const removeStoredMessages = (before: RandomChatState, after: RandomChatState): void => {
    const outgoing = outbox.useStore.getState().messages;
    if (outgoing.length === 0 || after.session?.messages === before.session?.messages) return;
    // The key of the user's own message is its clientId.
    const storedKeys = new Set(after.session?.messages.map(({ key }) => key));
    for (const { clientId } of outgoing) if (storedKeys.has(clientId)) outbox.markStored(clientId);
  };

  /** Whether a command can be sent; logs a warning if not. */
  const isConnectedOrWarn = (): boolean => {
    if (!socket.isOpen) console.warn('Not connected: nothing was sent');
    return socket.isOpen;
  };

  /**
   * Sends a command. `toFrame` converts its ack to the frame that the partner and other tabs receive; this page applies
   * that frame, too.
   * @throws SocketRequestError when no ack arrives: the command is refused or times out, or the connection is lost.
   */
  const sendCommand = async <E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    toFrame: (ack: Record<string, unknown>) => ServerFrame | undefined,
  ): Promise<void> => {
    await socket.request(event, data, {
      onAck: (ack) => {
        const frame = toFrame(ack);
        if (frame) receive(frame);
      },
    });
  };

  const perform = (effect: Effect): void => {
    switch (effect.type) {
      case 'send':
        // `queue` repeats these two commands until the server has answered.
        if (effect.event === 'join_queue') queue.join(effect.data);
        else if (effect.event === 'leave_queue') queue.leave();
        else socket.send(effect.event, effect.data);
        return;
      case 'resendMessages':
        return outbox.resendUnacknowledged(effect.sessionId);
      case 'react':
        return messageChanges.react(effect);
      case 'edit':
        return messageChanges.edit(effect);
      case 'returnEditToComposer': {
        const { sessionId, messageId, newContent } = effect;
        return outbox.keepUnsavedEdit({ conversationId: sessionId, messageId, text: newContent });
      }
      case 'resync':
        return socket.resync();
      case 'restartTypingTimer':
        clock.clearTimeout(typingTimer);
        typingTimer = clock.setTimeout(() => dispatch({ type: 'typingExpired' }), pageLimits.typingShownMs);
        return;
      case 'awaitChatEnd':
        clock.clearTimeout(chatEndTimer);
        chatEndTimer = clock.setTimeout(
          () => dispatch({ type: 'sessionVanished', sessionId: effect.sessionId }),
          chatEndTimeoutMs,
        );
        return;
    }
  };

  const receive = (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me) return;
    // The server still has the chat.
    if (frame.event === 'session_resumed') clock.clearTimeout(chatEndTimer);
    const isWithoutChat =
      frame.event === 'authenticated' &&
      frame.data.state !== 'chatting' &&
      !getActiveSession(useStore.getState());
    // After a reload, the outbox may still contain messages of a chat that has ended in the meantime.
    if (isWithoutChat) outbox.keepOnlyConversations(() => false);
    dispatch({ type: 'frameReceived', frame, me: me.id, nowMs: clock.now() });
  };

  const endSearchOrChat = (): void => {
    removeDraft();
    dispatch({ type: 'pageLeft' });
  };

  const presence = createPagePresence({
    clock,
    chatTabs,
    getSocket: () => socket,
    getChat: () => {
      const { phase, session } = useStore.getState();
      return { phase, sessionId: session?.sessionId };
    },
    endSearchOrChat,
  });

  const queue = createQueueCommands({
    clock,
    getSocket: () => socket,
    getState: () => useStore.getState(),
    onLeft: () => dispatch({ type: 'leaveAcknowledged' }),
    onRefused: (code) => {
      dispatch({ type: 'searchRefused' });
      // No toast for a suspended user: the page refetches their standing, which contains the suspension.
      if (code === 'suspended') return raise('search-refused-by-standing', undefined);
      useStore.setState(({ refusalCount }) => ({ refusalCount: refusalCount + 1 }));
    },
  });

  return {
    useStore,
    attachSocket: (newSocket: RandomChatSocket): void => {
      socket = newSocket;
    },
    /** Called when the signed-in user has changed: removes the data of the previous one. */
    switchUser: (): void => {
      clock.clearTimeout(typingTimer);
      clock.clearTimeout(chatEndTimer);
      const nextUserId = currentUser()?.id;
      // The first call after a reload keeps the draft.
      if (userId !== undefined && userId !== nextUserId) removeDraft();
      userId = nextUserId;
      outbox.switchUser(nextUserId);
      useStore.setState(createInitialState(readStoredPreference(nextUserId)));
      presence.update();
    },
    /** The session on the screen and the `seq` of its newest event, for `authenticate`; undefined without a chat. */
    getLastSeen: (): ClientInput<'authenticate'>['lastSeen'] => {
      const session = getActiveSession(useStore.getState());
      return session ? { sessionId: session.sessionId, seq: session.seq } : undefined;
    },
    /**
     * Returns `showsChat` (whether this page shows the chat) for an `authenticate` that is about to be sent, and
     * records it as reported.
     */
    takeShowsChat: presence.takeShowsChat,
    receive,
    /** The user's moves in Break the Ice. */
    game: createGamePlay({
      getSession: () => getActiveSession(useStore.getState()),
      getUserId: () => currentUser()?.id,
      isConnected: () => socket.isOpen,
      sendCommand,
      resync: () => socket.resync(),
      dispatch,
      onStartingChange: (isStartingGame) => useStore.setState({ isStartingGame }),
      newId,
      random: Math.random,
    }),
    /** Called when the visual effect of a game has finished. */
    handleCelebrationEnd: (gameId: string): void => dispatch({ type: 'celebrationEnded', gameId }),
    outbox,
    /** Called when the socket client stops reconnecting. */
    handleConnectionGivenUp: (): void => {
      outbox.handleConnectionGivenUp();
      dispatch({ type: 'connectionGivenUp' });
    },

    choosePreference: (preference: Preference): void => {
      const me = currentUser();
      if (me) browserStorage.write(toPreferenceKey(me.id), preference);
      dispatch({ type: 'preferenceChosen', preference });
    },
    startSearch: (): void => dispatch({ type: 'findPressed', nowMs: clock.now() }),
    cancelSearch: (): void => dispatch({ type: 'cancelPressed' }),
    skip: (): void => dispatch({ type: 'skipConfirmed', nowMs: clock.now() }),
    /** Returns to the initial screen, and searches at once if the user has chosen that and the page is connected. */
    startNewConversation: (): void => {
      dispatch({ type: 'newConversationPressed' });
      if (isSearchAtOnceOn() && socket.isOpen) dispatch({ type: 'findPressed', nowMs: clock.now() });
    },
    /** @returns false while not connected: the caller keeps the text (docs/product-decisions.md, A114). */
    edit: (messageId: string, text: string): boolean => {
      const me = currentUser();
      if (!me || !isConnectedOrWarn()) return false;
      dispatch({
        type: 'editSaved',
        changeId: newId(),
        messageId,
        newContent: normalizeText(text),
        me: me.id,
      });
      return true;
    },
    /** @returns false while not connected. */
    react: (messageId: string, emoji: string): boolean => {
      const me = currentUser();
      if (!me || !isConnectedOrWarn()) return false;
      dispatch({ type: 'reactionToggled', changeId: newId(), messageId, emoji, me: me.id });
      return true;
    },
    /** Called when the user types; notifies the partner at most every two seconds (docs/product-decisions.md, B02). */
    notifyTyping: (): void => {
      const sessionId = getActiveSession(useStore.getState())?.sessionId;
      if (sessionId !== undefined && outbox.tryAcquireTypingPermit(sessionId))
        socket.send('typing', { sessionId });
    },

    /** Called when the chat's screen is shown, for the first time or again (docs/product-decisions.md, A59). */
    show: presence.show,
    /** Called when the user goes to another screen of the application. A search ends at once, a chat after a delay. */
    hide: presence.hide,
    /** Ends the search or the chat at once, without a confirmation. */
    endSearchOrChat,
  };
};

export const randomChat = createRandomChat({
  // `now` is the server's time, because it is compared with the times in the server's frames.
  clock: { ...systemClock, now: getServerNow },
  newId,
  chatTabs: new SharedPlace('thaw-random-chat'),
});

export const useRandomChat = randomChat.useStore;
