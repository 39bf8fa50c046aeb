import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { render, screen } from '@testing-library/react';
import { RevealCard } from '@/features/random-chat/icebreaker/components/reveal-card';

const [question] = questions as [Question];
const [option, otherOption] = question.options as [string, string];
/**
 * The line below the title when both answers are the same. It is in Portuguese even on the English page, because the
 * specification asks for it (docs/product-decisions.md, A80).
 */
const portugueseLine = 'O gelo foi quebrado!';

const renderReveal = (mine: string, theirs: string): void => {
  render(
    <RevealCard
      partnerName="brave-heron-7"
      isCelebrated={false}
      game={{
        gameId: 'g1',
        questionId: question.id,
        question: question.question,
        options: question.options,
        userResponse: mine,
        partnerResponse: theirs,
        sameAnswer: mine === theirs,
        progress: 'revealed',
        hasPartnerAnswered: true,
      }}
    />,
  );
};

const listAnswers = (): string[][] =>
  screen.getAllByRole('term').map((term) => [term.textContent, term.nextElementSibling?.textContent ?? '']);

it("shows 'The ice is broken!' when both answers are the same", () => {
  renderReveal(option, option);
  expect(screen.getByRole('heading', { name: 'The ice is broken!' })).toBeVisible();
  expect(screen.getByText(portugueseLine)).toBeVisible();
  expect(screen.queryByText('Plot twist!')).not.toBeInTheDocument();
  expect(listAnswers()).toEqual([
    ['You', option],
    ['brave-heron-7', option],
  ]);
});

it("shows 'Plot twist!' when the answers differ", () => {
  renderReveal(option, otherOption);
  expect(screen.getByRole('heading', { name: 'Plot twist!' })).toBeVisible();
  expect(screen.queryByText(portugueseLine)).not.toBeInTheDocument();
  expect(listAnswers()).toEqual([
    ['You', option],
    ['brave-heron-7', otherOption],
  ]);
});
