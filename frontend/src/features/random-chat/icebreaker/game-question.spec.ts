import { limits } from '@thaw/contract/limits';
import { questions } from '@thaw/contract/questions';
import { pickQuestionId } from '@/features/random-chat/icebreaker/game-question';

const allIds = questions.map(({ id }) => id);

it('can pick every question', () => {
  // Each question has an equal share of the interval [0, 1); take the random number in the middle of each share.
  const pickedIds = allIds.map((_id, index) =>
    pickQuestionId([], () => (index + 0.5) / limits.questionCount),
  );
  expect(pickedIds).toEqual(allIds);
  expect(pickQuestionId([], () => 0.999_999_999)).toBe(limits.questionCount);
});

it('picks among the questions not asked yet', () => {
  const askedIds = allIds.filter((id) => id !== 17 && id !== 60);
  const pickedIds = [0, 0.49, 0.5, 0.99].map((random) => pickQuestionId(askedIds, () => random));
  expect(pickedIds).toEqual([17, 17, 60, 60]);
});

it('falls back to the first question when all have been asked', () => {
  expect(pickQuestionId(allIds, () => 0.5)).toBe(allIds[0]);
});
