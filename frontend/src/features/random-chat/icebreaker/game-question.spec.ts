import { limits } from '@thaw/contract/limits';
import { questions } from '@thaw/contract/questions';
import { pickQuestionId } from '@/features/random-chat/icebreaker/game-question';

const all = questions.map(({ id }) => id);

it('can pick every question of the bank, and no other', () => {
  const picked = all.map((_, index) => pickQuestionId([], () => (index + 0.5) / limits.questionCount));
  expect(picked).toEqual(all);
  expect(pickQuestionId([], () => 0.999_999_999)).toBe(85);
});

it('picks among the questions not asked yet', () => {
  const asked = all.filter((id) => id !== 17 && id !== 60);
  expect([0, 0.49, 0.5, 0.99].map((random) => pickQuestionId(asked, () => random))).toEqual([17, 17, 60, 60]);
});

it('falls back to the first question when all have been asked', () => {
  expect(pickQuestionId(all, () => 0.5)).toBe(1);
  expect(questions[0]?.id).toBe(1);
});
