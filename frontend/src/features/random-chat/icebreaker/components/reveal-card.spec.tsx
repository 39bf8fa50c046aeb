import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { render, screen } from '@testing-library/react';
import { RevealCard } from '@/features/random-chat/icebreaker/components/reveal-card';

const [question] = questions as [Question];
const [soup, film] = question.options as [string, string];

const renderReveal = (mine: string, theirs: string): void => {
  render(
    <RevealCard
      partnerName="brave-heron-7"
      isJustRevealed={false}
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
  renderReveal(soup, soup);
  expect(screen.getByRole('heading', { name: 'The ice is broken!' })).toBeVisible();
  expect(screen.getByText('O gelo foi quebrado!')).toBeVisible();
  expect(screen.queryByText('Plot twist!')).not.toBeInTheDocument();
  expect(listAnswers()).toEqual([
    ['You', soup],
    ['brave-heron-7', soup],
  ]);
});

it("shows 'Plot twist!' when the answers differ", () => {
  renderReveal(soup, film);
  expect(screen.getByRole('heading', { name: 'Plot twist!' })).toBeVisible();
  expect(screen.queryByText('O gelo foi quebrado!')).not.toBeInTheDocument();
  expect(listAnswers()).toEqual([
    ['You', soup],
    ['brave-heron-7', film],
  ]);
});
