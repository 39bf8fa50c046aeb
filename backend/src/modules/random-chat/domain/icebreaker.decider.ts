import { findQuestionById, questions } from '@thaw/contract/questions';
import { DomainError } from '../../../platform/errors/domain.errors';
import { type Decision, accept } from './decision.types';
import { requireWithinRate } from './rate-limit.rules';
import type { AnswerGame, IgnoreGame, StartGame } from './random-chat.commands';
import type { Answer, Game, RandomChatState } from './random-chat.state';

// Rules of the game Break the Ice (docs/product-decisions.md, A71 to A79).

/** Decides `StartGame`. There is one game at a time, and a question is not repeated while others are left. */
export const decideGameStart = (command: StartGame, state: RandomChatState): Decision => {
  const { initiatorId, gameId, questionId } = command;
  const { game } = state;
  const isRetry = game?.gameId === gameId && game.initiatorId === initiatorId;
  if (isRetry) return { alreadyDone: game.startPosition };
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
 * Decides `AnswerGame`. The first answer is hidden from the partner. The partner's answer reveals both. A user cannot
 * change an answer; sending the same one again is a retry.
 */
export const decideGameAnswer = (
  { userId, gameId, response }: AnswerGame,
  state: RandomChatState,
): Decision => {
  const isSameAnswer = (answer: Answer): boolean => answer.userId === userId && answer.response === response;
  const { pastGame } = state;
  if (pastGame?.gameId === gameId && pastGame.answers.some(isSameAnswer))
    return { alreadyDone: pastGame.endPosition };
  const { questionId, firstAnswer } = requireGame(state, gameId);
  if (firstAnswer && isSameAnswer(firstAnswer)) return { alreadyDone: firstAnswer.position };
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

/** Decides `IgnoreGame`. Either user may do so before the reveal. A first answer then stays hidden (A74, A78). */
export const decideGameIgnore = ({ userId, gameId }: IgnoreGame, state: RandomChatState): Decision => {
  const { pastGame } = state;
  const isRetry = pastGame?.gameId === gameId && pastGame.ignoredBy === userId;
  if (isRetry) return { alreadyDone: pastGame.endPosition };
  requireGame(state, gameId);
  return accept({ type: 'GameIgnored', data: { gameId, userId } });
};

const requireGame = ({ game }: RandomChatState, gameId: string): Game => {
  if (game?.gameId !== gameId) throw new DomainError('game_not_active');
  return game;
};
