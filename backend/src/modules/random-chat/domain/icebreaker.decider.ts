import { findQuestionById, questions } from '@thaw/contract/questions';
import { DomainError } from '../../../platform/errors/domain.errors';
import { type Decision, accept } from './decision.types';
import { requireWithinRate } from './rate-limit.rules';
import type { AnswerGame, IgnoreGame, StartGame } from './random-chat.commands';
import type { Answer, Game, RandomChatState } from './random-chat.state';

// Rules of the game Break the Ice (docs/product-decisions.md, A71 to A79).

/** There is one game at a time, and a question is not repeated while others are left. */
export const decideGameStart = (command: StartGame, state: RandomChatState): Decision => {
  const { initiatorId, gameId, questionId } = command;
  const { game } = state;
  // A retry. `startedAt` is not a time, but the position of the `GameStarted` event.
  if (game?.gameId === gameId && game.initiatorId === initiatorId) return { alreadyDone: game.startedAt };
  if (game) throw new DomainError('game_active');
  // The game with this id is over.
  if (state.gameIds.has(gameId)) throw new DomainError('game_not_active');
  const isRepeatedTooEarly =
    state.askedQuestionIds.has(questionId) && state.askedQuestionIds.size < questions.length;
  if (!findQuestionById(questionId) || isRepeatedTooEarly) throw new DomainError('unknown_question');
  requireWithinRate(state, 'game', initiatorId, command);
  return accept({ type: 'GameStarted', data: { gameId, questionId, initiatorId } });
};

/**
 * The first answer is final and hidden from the partner; the second one, by the partner, reveals both. The same answer
 * by the same user is a retry; another answer by the same user is refused.
 */
export const decideGameAnswer = (
  { userId, gameId, response }: AnswerGame,
  state: RandomChatState,
): Decision => {
  const isSameAnswer = (answer: Answer): boolean => answer.userId === userId && answer.response === response;
  const { pastGame } = state;
  if (pastGame?.gameId === gameId && pastGame.answers.some(isSameAnswer))
    return { alreadyDone: pastGame.endedAt };
  const { questionId, firstAnswer } = requireGame(state, gameId);
  if (firstAnswer && isSameAnswer(firstAnswer)) return { alreadyDone: firstAnswer.answeredAt };
  if (firstAnswer?.userId === userId) throw new DomainError('already_answered');
  if (!findQuestionById(questionId)?.options.includes(response)) throw new DomainError('invalid_payload');
  if (!firstAnswer) return accept({ type: 'GameAnswered', data: { gameId, userId, response } });
  return accept({
    type: 'GameRevealed',
    data: {
      gameId,
      questionId,
      answers: [
        { userId: firstAnswer.userId, response: firstAnswer.response },
        { userId, response },
      ],
    },
  });
};

/** Either user may ignore a game until the answers are revealed. Its first answer is never disclosed (A74, A78). */
export const decideGameIgnore = ({ userId, gameId }: IgnoreGame, state: RandomChatState): Decision => {
  const { pastGame } = state;
  if (pastGame?.gameId === gameId && pastGame.ignoredBy === userId) return { alreadyDone: pastGame.endedAt };
  requireGame(state, gameId);
  return accept({ type: 'GameIgnored', data: { gameId, userId } });
};

const requireGame = ({ game }: RandomChatState, gameId: string): Game => {
  if (game?.gameId !== gameId) throw new DomainError('game_not_active');
  return game;
};
