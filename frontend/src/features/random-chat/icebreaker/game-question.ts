import { limits } from '@thaw/contract/limits';

const firstQuestionId = 1;

/**
 * Picks the question of the next game: at random among those not asked yet, or the first one when all were asked
 * (docs/product-decisions.md, A72).
 * @param askedIds ids of the questions already asked in this chat
 * @param random returns a number from 0 to below 1, like `Math.random`
 */
export const pickQuestionId = (askedIds: readonly number[], random: () => number): number => {
  const remainingIds = Array.from(
    { length: limits.questionCount },
    (_, index) => firstQuestionId + index,
  ).filter((id) => !askedIds.includes(id));
  return remainingIds[Math.floor(random() * remainingIds.length)] ?? firstQuestionId;
};
