import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { askedQuestionIds, openGame } from '@/features/random-chat/icebreaker/game-events';
import { pickQuestionId } from '@/features/random-chat/icebreaker/game-question';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { parseEvent } from '@/lib/socket/parse-frame';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** The user's moves in Break the Ice, from the click to the server's answer. */

export type StartOutcome =
  | 'started'
  /** The partner was first, or the chat is over; other frames show what happened. */
  | 'overtaken'
  | 'too_fast'
  | 'failed';

export interface GameTable {
  /** Null unless the chat is active. */
  session: () => Session | null;
  me: () => number | undefined;
  isConnected: () => boolean;
  /**
   * Sends a command. `toFrame` converts its ack to the frame that the partner and other tabs receive.
   * @throws SocketRequestError when the server did not accept it.
   */
  command: <E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    toFrame: (ack: Record<string, unknown>) => ServerFrame | undefined,
  ) => Promise<void>;
  resync: () => void;
  dispatch: (action: GameAction) => void;
  onStarting: (isStarting: boolean) => void;
  newId: () => string;
  random: () => number;
}

/** Number of questions tried with a server that has recorded more asked questions than this page. */
const questionsOffered = 5;

export const createGamePlay = (table: GameTable) => {
  let isStarting = false;

  const heed = (error: unknown): SocketRequestError => {
    if (!(error instanceof SocketRequestError)) throw error;
    const isLost = error.failure === 'timeout';
    if (isLost || error.code === 'session_ended' || error.code === 'not_in_session') table.resync();
    return error;
  };

  const offer = async (session: Session, me: number, questionId: number): Promise<void> => {
    const { sessionId } = session;
    const gameId = table.newId();
    await table.command(
      'break_ice_start',
      { sessionId, gameId, question: { id: questionId }, initiatorId: me },
      (ack) => parseEvent('break_ice_question_received', { ...ack, sessionId, gameId, initiatorId: me }),
    );
  };

  const startedWith = async (sessionId: string, me: number): Promise<StartOutcome> => {
    const refused: number[] = [];
    while (refused.length < questionsOffered) {
      const session = table.session();
      if (session?.sessionId !== sessionId || openGame(session)) return 'overtaken';
      const questionId = pickQuestionId([...askedQuestionIds(session), ...refused], table.random);
      try {
        await offer(session, me, questionId);
        return 'started';
      } catch (error) {
        const { code } = heed(error);
        if (code === 'rate_limited') return 'too_fast';
        if (code === 'game_active' || code === 'session_ended' || code === 'not_in_session') {
          return 'overtaken';
        }
        if (code !== 'unknown_question') return 'failed';
        refused.push(questionId);
      }
    }
    return 'failed';
  };

  const move = (
    gameId: string,
    response: string | null,
    send: (session: Session, me: number) => Promise<unknown>,
  ): void => {
    const [session, me] = [table.session(), table.me()];
    if (!session || me === undefined || !table.isConnected()) return;
    const { sessionId } = session;
    table.dispatch({ type: 'gameMoved', sessionId, gameId, response });
    send(session, me).catch((error: unknown) => {
      const { failure } = heed(error);
      table.dispatch({ type: 'gameMoveFailed', sessionId, gameId, isRefused: failure === 'refused' });
    });
  };

  return {
    /** Asks the partner a question. The card appears when the server has accepted it (A71, A73). */
    start: async (): Promise<StartOutcome> => {
      const [session, me] = [table.session(), table.me()];
      if (isStarting || !session || me === undefined) return 'overtaken';
      isStarting = true;
      table.onStarting(true);
      try {
        return await startedWith(session.sessionId, me);
      } finally {
        isStarting = false;
        table.onStarting(false);
      }
    },
    answer: (gameId: string, response: string): void =>
      move(gameId, response, ({ sessionId }, me) =>
        // The resulting frame is sent to this socket as well.
        table.command('break_ice_response', { sessionId, gameId, response, userId: me }, () => undefined),
      ),
    ignore: (gameId: string): void =>
      move(gameId, null, ({ sessionId }, me) =>
        table.command('break_ice_ignore', { sessionId, gameId, userId: me }, (ack) =>
          parseEvent('break_ice_ignored', { ...ack, sessionId, gameId, ignoredBy: me }),
        ),
      ),
  };
};
