import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { listAskedQuestionIds, findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { pickQuestionId } from '@/features/random-chat/icebreaker/game-question';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { parseEvent } from '@/lib/socket/parse-frame';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

// The user's moves in Break the Ice, from the click to the server's response.

export type StartOutcome =
  | 'started'
  /** No question was asked: a game is already starting or open, or the chat is over. The page shows this anyway. */
  | 'overtaken'
  | 'too_fast'
  | 'failed';

export interface GamePlayOptions {
  /** Null unless the chat is active. */
  getSession: () => Session | null;
  getUserId: () => number | undefined;
  isConnected: () => boolean;
  /**
   * Sends a command. `toFrame` converts its ack to the frame that the partner and other tabs receive.
   * @throws SocketRequestError when no ack arrives: the command is refused or times out, or the connection is lost.
   */
  sendCommand: <E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    toFrame: (ack: Record<string, unknown>) => ServerFrame | undefined,
  ) => Promise<void>;
  resync: () => void;
  dispatch: (action: GameAction) => void;
  /** Called with true when `start` sends a question, and with false when the server has responded. */
  onStartingChange: (isStarting: boolean) => void;
  newId: () => string;
  random: () => number;
}

/**
 * Number of questions that `start` tries in turn. The server refuses a question with `unknown_question` if it has been
 * asked before, which this page may not know.
 */
const maxQuestionsTried = 5;

/** Returns the error of a command. @throws any other error, which is a bug */
const toRequestError = (error: unknown): SocketRequestError => {
  if (!(error instanceof SocketRequestError)) throw error;
  return error;
};

/** Whether the server refused a command because the chat is over. */
const isChatOver = ({ code }: SocketRequestError): boolean =>
  code === 'session_ended' || code === 'not_in_session';

const toStartOutcome = (error: SocketRequestError): StartOutcome => {
  if (error.code === 'rate_limited') return 'too_fast';
  return error.code === 'game_active' || isChatOver(error) ? 'overtaken' : 'failed';
};

export const createGamePlay = (options: GamePlayOptions) => {
  let isStarting = false;

  /** Requests the missed events if the failed command shows that this page may have missed some. */
  const resyncIfOutdated = (error: SocketRequestError): void => {
    const isUnanswered = error.failure === 'timeout';
    if (isUnanswered || isChatOver(error)) options.resync();
  };

  const sendQuestion = async (session: Session, me: number, questionId: number): Promise<void> => {
    const { sessionId } = session;
    const gameId = options.newId();
    await options.sendCommand(
      'break_ice_start',
      { sessionId, gameId, question: { id: questionId }, initiatorId: me },
      (ack) => parseEvent('break_ice_question_received', { ...ack, sessionId, gameId, initiatorId: me }),
    );
  };

  const tryQuestions = async (sessionId: string, me: number): Promise<StartOutcome> => {
    const refusedIds: number[] = [];
    while (refusedIds.length < maxQuestionsTried) {
      const session = options.getSession();
      if (session?.sessionId !== sessionId || findOpenGame(session)) return 'overtaken';
      const questionId = pickQuestionId([...listAskedQuestionIds(session), ...refusedIds], options.random);
      try {
        await sendQuestion(session, me, questionId);
        return 'started';
      } catch (error) {
        const requestError = toRequestError(error);
        resyncIfOutdated(requestError);
        if (requestError.code !== 'unknown_question') return toStartOutcome(requestError);
        refusedIds.push(questionId);
      }
    }
    return 'failed';
  };

  /**
   * Shows the move at once and sends it.
   * @param response the chosen answer; null to ignore the game
   */
  const makeMove = (
    gameId: string,
    response: string | null,
    send: (session: Session, me: number) => Promise<unknown>,
  ): void => {
    const [session, me] = [options.getSession(), options.getUserId()];
    if (!session || me === undefined || !options.isConnected()) return;
    const { sessionId } = session;
    options.dispatch({ type: 'gameMoved', sessionId, gameId, response });
    send(session, me).catch((error: unknown) => {
      const requestError = toRequestError(error);
      resyncIfOutdated(requestError);
      const isRefused = requestError.failure === 'refused';
      options.dispatch({ type: 'gameMoveFailed', sessionId, gameId, isRefused });
    });
  };

  return {
    /** Asks the partner a question, which appears when the server has accepted it. */
    start: async (): Promise<StartOutcome> => {
      const [session, me] = [options.getSession(), options.getUserId()];
      if (isStarting || !session || me === undefined) return 'overtaken';
      isStarting = true;
      options.onStartingChange(true);
      try {
        return await tryQuestions(session.sessionId, me);
      } finally {
        isStarting = false;
        options.onStartingChange(false);
      }
    },
    answer: (gameId: string, response: string): void =>
      makeMove(gameId, response, ({ sessionId }, me) =>
        // The ack needs no conversion: the server sends the resulting frame to this socket as well.
        options.sendCommand(
          'break_ice_response',
          { sessionId, gameId, response, userId: me },
          () => undefined,
        ),
      ),
    ignore: (gameId: string): void =>
      makeMove(gameId, null, ({ sessionId }, me) =>
        options.sendCommand('break_ice_ignore', { sessionId, gameId, userId: me }, (ack) =>
          parseEvent('break_ice_ignored', { ...ack, sessionId, gameId, ignoredBy: me }),
        ),
      ),
  };
};
