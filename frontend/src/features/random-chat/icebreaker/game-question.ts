import { limits } from '@thaw/contract/limits';

const firstQuestionId = 1;

/**
 * The question of the next game: at random among those not asked yet, the first of the bank when all have been (§3, A72).
 * @param random as `Math.random`.
 */
export const pickQuestionId = (asked: readonly number[], random: () => number): number => {
  const left = Array.from({ length: limits.questionCount }, (_, index) => firstQuestionId + index).filter(
    (id) => !asked.includes(id),
  );
  return left[Math.floor(random() * left.length)] ?? firstQuestionId;
};
