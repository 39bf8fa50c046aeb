import { randomMessageAckSchema, reactionAckSchema, storedAckSchema } from '@thaw/contract/acks';
import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { limits } from '@thaw/contract/limits';
import { preferenceSchema, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { normalizeText } from '@thaw/contract/text';
import { create } from 'zustand';
import { type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { forgetDraft } from '@/features/random-chat/draft';
import { createGamePlay } from '@/features/random-chat/game-play';
import { reduce } from '@/features/random-chat/random-chat.reducer';
import {
  initialState,
  type Action,
  type Delivery,
  type Effect,
  type RandomChatState,
} from '@/features/random-chat/random-chat.state';
import { systemClock, type Clock } from '@/lib/clock';
import { currentUser } from '@/lib/identity';
import { newId } from '@/lib/new-id';
import { SharedPlace } from '@/lib/shared-place';
import { disconnected, type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { readStored, writeStored } from '@/lib/storage';

/** It can also ask again for what was missed. */
export interface RandomChatSocket extends FeatureSocket {
  resync: () => void;
}

export type SendOutcome = 'sent' | 'not_connected' | 'nothing_to_send';

export interface RandomChatStore extends RandomChatState {
  /** The server asked for a pause; the text went back to the composer. */
  isTooFast: boolean;
  /** Counts refusals to search, so that each one is told. */
  refusals: number;
  /** Break the Ice was pressed, and the server has not answered yet. */
  isStartingGame: boolean;
}

const preferenceKey = (userId: number): string => `thaw-preference-${userId}`;

const storedPreference = (userId: number | undefined): Preference => {
  const parsed = preferenceSchema.safeParse(userId === undefined ? null : readStored(preferenceKey(userId)));
  return parsed.success ? parsed.data : 'both';
};

/** How long an ended chat's `chat_skipped` may take after `authenticated` before the chat is given up. */
const endExpectedWithinMs = 5_000;

type ChangeFrame = Extract<Action, { type: 'changeStored' }>['frame'];

/** The chat of a refused command has ended; how, the server tells when it is asked. */
const isOver = ({ code }: SocketRequestError): boolean =>
  code === 'session_ended' || code === 'not_in_session';

export interface RandomChatOptions {
  clock: Clock;
  newId: () => string;
  /** Which tabs of this browser show the chat; a tab that leaves ends nothing while another is there. */
  place: Pick<SharedPlace, 'enter' | 'leave' | 'isOpenElsewhere'>;
}

/** The random chat's state with the commands of the screens; effects go out through the socket given to `connect`. */
export const createRandomChat = ({ clock, newId, place }: RandomChatOptions) => {
  const useStore = create<RandomChatStore>()(() => ({
    ...initialState(),
    isTooFast: false,
    refusals: 0,
    isStartingGame: false,
  }));
  let socket: RandomChatSocket = { ...disconnected, resync: () => undefined };
  const takers = new Set<(returned: Returned) => void>();
  let typingTimer: number | undefined;
  let slowDownTimer: number | undefined;
  let leaveTimer: number | undefined;
  let lastTyped = -Infinity;
  let isHere = false;

  const dispatch = (action: Action): void => {
    const { state, effects } = reduce(useStore.getState(), action);
    if (state !== useStore.getState()) useStore.setState(state);
    for (const effect of effects) perform(effect);
  };

  const canSend = (): boolean => {
    if (!socket.isOpen) console.warn('Not connected: nothing was sent');
    return socket.isOpen;
  };

  const search = (data: ClientInput<'join_queue'>): void => {
    socket.request('join_queue', data).catch((error: unknown) => {
      if (!(error instanceof SocketRequestError) || error.failure !== 'refused') return;
      if (error.code === 'already_in_session') return socket.resync();
      if (error.code === 'rate_limited') {
        clock.setTimeout(() => {
          if (useStore.getState().phase === 'searching') search(data);
        }, error.retryAfterMs ?? 1_000);
        return;
      }
      dispatch({ type: 'searchRefused' });
      useStore.setState(({ refusals }) => ({ refusals: refusals + 1 }));
    });
  };

  const deliver = ({ sessionId, clientId, content, messageType, replyToId }: Delivery): void => {
    socket
      .request(
        'random_message',
        {
          sessionId,
          content,
          messageType,
          clientId,
          ...(replyToId === null ? {} : { replyTo: { messageId: replyToId } }),
        },
        {
          onAck: (data) => {
            const ack = randomMessageAckSchema.safeParse(data);
            dispatch(
              ack.success
                ? { type: 'acknowledged', sessionId, clientId, ack: ack.data }
                : { type: 'deliveryFailed', sessionId, clientId },
            );
          },
        },
      )
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        // Cut off on the way: sent again with the same clientId when the chat is resumed.
        if (error.failure === 'closed' || error.failure === 'not_connected') return;
        if (error.code === 'rate_limited') {
          dispatch({ type: 'takenBack', sessionId, clientId });
          for (const take of takers) take({ content, type: messageType });
          slowDown(error.retryAfterMs);
          return;
        }
        dispatch({ type: 'deliveryFailed', sessionId, clientId });
        if (isOver(error)) socket.resync();
      });
  };

  const slowDown = (forMs = 1_000): void => {
    useStore.setState({ isTooFast: true });
    clock.clearTimeout(slowDownTimer);
    slowDownTimer = clock.setTimeout(() => useStore.setState({ isTooFast: false }), forMs);
  };

  /**
   * Sends a command whose ack stands for the stored event: `toFrame` puts it as the frame that everybody else gets.
   * @throws SocketRequestError when it was not taken.
   */
  const command = async <E extends ClientEvent>(
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

  const change = <E extends 'message_edit' | 'message_reaction'>(
    event: E,
    data: ClientInput<E>,
    changeId: string,
    toFrame: (ack: Record<string, unknown>) => ChangeFrame | undefined,
  ): void => {
    const { sessionId, messageId, userId } = data;
    socket
      .request(event, data, {
        onAck: (ack) => {
          const frame = toFrame(ack);
          dispatch(
            frame
              ? { type: 'changeStored', changeId, messageId, frame, me: userId }
              : { type: 'changeFailed', sessionId, changeId, messageId },
          );
        },
      })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        dispatch({ type: 'changeFailed', sessionId, changeId, messageId });
        if (error.code === 'rate_limited') slowDown(error.retryAfterMs);
        if (isOver(error)) socket.resync();
      });
  };

  const react = (changeId: string, data: ClientInput<'message_reaction'>): void =>
    change('message_reaction', data, changeId, (ack) => {
      const parsed = reactionAckSchema.safeParse(ack);
      if (!parsed.success) return undefined;
      return { event: 'message_reaction', data: { ...data, ...parsed.data } };
    });

  const edit = (changeId: string, data: ClientInput<'message_edit'>): void =>
    change('message_edit', data, changeId, (ack) => {
      const parsed = storedAckSchema.safeParse(ack);
      if (!parsed.success) return undefined;
      const { sessionId, messageId, newContent } = data;
      return { event: 'message_edited', data: { sessionId, messageId, newContent, seq: parsed.data.seq } };
    });

  const perform = (effect: Effect): void => {
    switch (effect.type) {
      case 'send':
        if (effect.event === 'join_queue') search(effect.data);
        else socket.send(effect.event, effect.data);
        return;
      case 'deliver':
        return deliver(effect);
      case 'react':
        return react(effect.changeId, effect.data);
      case 'edit':
        return edit(effect.changeId, effect.data);
      case 'resync':
        return socket.resync();
      case 'expireTyping':
        clock.clearTimeout(typingTimer);
        typingTimer = clock.setTimeout(() => dispatch({ type: 'typingExpired' }), limits.typingShownMs);
        return;
      case 'expectEnd':
        clock.setTimeout(
          () => dispatch({ type: 'sessionVanished', sessionId: effect.sessionId }),
          endExpectedWithinMs,
        );
        return;
    }
  };

  const receive = (frame: ServerFrame): void => {
    const me = currentUser();
    if (me) dispatch({ type: 'received', frame, me: me.id, at: clock.now() });
  };

  const leaveUnlessElsewhere = async (): Promise<void> => {
    const isElsewhere = await place.isOpenElsewhere();
    if (!isHere && !isElsewhere) leaveNow();
  };

  const leaveNow = (): void => {
    clock.clearTimeout(leaveTimer);
    forgetDraft();
    dispatch({ type: 'chatLeft', isConnected: socket.isOpen });
  };

  return {
    useStore,
    connect: (given: RandomChatSocket): void => {
      socket = given;
    },
    /** Another person at this page: nothing of the one before stays. */
    reset: (): void => {
      clock.clearTimeout(typingTimer);
      clock.clearTimeout(leaveTimer);
      lastTyped = -Infinity;
      useStore.setState({ ...initialState(storedPreference(currentUser()?.id)), isTooFast: false });
    },
    /** What `authenticate` tells of the chat that was seen. */
    lastSeen: (): ClientInput<'authenticate'>['lastSeen'] => {
      const { phase, session } = useStore.getState();
      return phase === 'active' && session ? { sessionId: session.sessionId, seq: session.seq } : undefined;
    },
    receive,
    /** My moves in Break the Ice. */
    game: createGamePlay({
      session: () => {
        const { phase, session } = useStore.getState();
        return phase === 'active' ? session : null;
      },
      me: () => currentUser()?.id,
      isConnected: () => socket.isOpen,
      command,
      resync: () => socket.resync(),
      dispatch,
      onStarting: (isStartingGame) => useStore.setState({ isStartingGame }),
      newId,
      random: Math.random,
    }),
    /** The effect of this game has been seen. */
    celebrated: (gameId: string): void => dispatch({ type: 'celebrated', gameId }),
    connectionGivenUp: (): void => dispatch({ type: 'connectionGivenUp' }),

    choosePreference: (preference: Preference): void => {
      const me = currentUser();
      if (me) writeStored(preferenceKey(me.id), preference);
      dispatch({ type: 'preferenceChosen', preference });
    },
    find: (): void => dispatch({ type: 'findPressed', at: clock.now() }),
    cancel: (): void => dispatch({ type: 'cancelPressed', isConnected: socket.isOpen }),
    skip: (): void => dispatch({ type: 'skipConfirmed', at: clock.now() }),
    newConversation: (): void => dispatch({ type: 'newConversationPressed' }),
    /** Not sent, and the caller keeps the text, while there is no connection (A114). */
    say: ({ content: given, type, replyTo }: Outgoing): SendOutcome => {
      const me = currentUser();
      const content = normalizeText(given);
      if (!me || content === '') return 'nothing_to_send';
      if (!canSend()) return 'not_connected';
      dispatch({
        type: 'submitted',
        clientId: newId(),
        senderId: me.id,
        content,
        messageType: type,
        replyTo,
        at: clock.now(),
      });
      return 'sent';
    },
    canSend,
    edit: (messageId: string, text: string): SendOutcome => {
      const me = currentUser();
      const newContent = normalizeText(text);
      if (!me || newContent === '') return 'nothing_to_send';
      if (!canSend()) return 'not_connected';
      dispatch({ type: 'editSaved', changeId: newId(), messageId, newContent, me: me.id });
      return 'sent';
    },
    react: (messageId: string, emoji: string): SendOutcome => {
      const me = currentUser();
      if (!me || !canSend()) return 'not_connected';
      dispatch({ type: 'reactionToggled', changeId: newId(), messageId, emoji, me: me.id });
      return 'sent';
    },
    retry: (clientId: string): SendOutcome => {
      if (!socket.isOpen) return 'not_connected';
      dispatch({ type: 'retryPressed', clientId });
      return 'sent';
    },
    /** The person typed something: the partner is told, at most every two seconds (B02). */
    typed: (): void => {
      const { phase, session } = useStore.getState();
      const now = clock.now();
      if (phase !== 'active' || !session || !socket.isOpen || now - lastTyped < limits.typingEveryMs) return;
      lastTyped = now;
      socket.send('typing', { sessionId: session.sessionId });
    },
    /** Subscribes to what the server did not take for now (A90). */
    onReturned: (take: (returned: Returned) => void): (() => void) => {
      takers.add(take);
      return () => takers.delete(take);
    },

    /** The screen is shown (again): whoever left a moment ago is back (A59). */
    enter: (): void => {
      isHere = true;
      place.enter();
      clock.clearTimeout(leaveTimer);
    },
    /** The screen was left inside the application: a search ends at once, a chat after a moment (A59). */
    leave: (): void => {
      isHere = false;
      place.leave();
      clock.clearTimeout(leaveTimer);
      if (useStore.getState().phase !== 'active') void leaveUnlessElsewhere();
      else leaveTimer = clock.setTimeout(() => void leaveUnlessElsewhere(), limits.leaveChatDelayMs);
    },
    leaveNow,
  };
};

export const randomChat = createRandomChat({
  clock: systemClock,
  newId,
  place: new SharedPlace('thaw-random-chat'),
});

export const useRandomChat = randomChat.useStore;
