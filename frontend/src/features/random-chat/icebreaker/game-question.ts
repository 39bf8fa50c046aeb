import { limits } from '@thaw/contract/limits';

const firstQuestionId = 1;

/**
 * Picks the question of the next game: at random among those not asked yet, or the first one when all were asked (§3,
 * A72).
 * @param random like `Math.random`.
 */
export const pickQuestionId = (asked: readonly number[], random: () => number): number => {
  const remainingIds = Array.from(
    { length: limits.questionCount },
    (_, index) => firstQuestionId + index,
  ).filter((id) => !asked.includes(id));
  return remainingIds[Math.floor(random() * remainingIds.length)] ?? firstQuestionId;
};
