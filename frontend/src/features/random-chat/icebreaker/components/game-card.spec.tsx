import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { GameCard } from '@/features/random-chat/icebreaker/components/game-card';
import { type GameData } from '@/features/random-chat/icebreaker/game';

const [question] = questions as [Question];
const [firstOption, secondOption] = question.options as [string, string];

const createGame = (changes: Partial<GameData> = {}): GameData => ({
  gameId: 'g1',
  questionId: question.id,
  question: question.question,
  options: question.options,
  userResponse: null,
  partnerResponse: null,
  sameAnswer: null,
  progress: 'open',
  hasPartnerAnswered: false,
  ...changes,
});

const renderGame = (game: GameData, { isMine = false, isConnected = true } = {}) => {
  const onAnswer = jest.fn();
  const onIgnore = jest.fn();
  const createCard = (shownGame: GameData) => (
    <GameCard
      game={shownGame}
      isMine={isMine}
      partnerName="brave-heron-7"
      isConnected={isConnected}
      onAnswer={onAnswer}
      onIgnore={onIgnore}
    />
  );
  const { rerender } = render(createCard(game));
  return {
    onAnswer,
    onIgnore,
    updateGame: (nextGame: GameData) => rerender(createCard(nextGame)),
    user: userEvent.setup(),
  };
};

const getRadio = (name: string): HTMLElement => screen.getByRole('radio', { name });

it('shows the question, its options and who asked', () => {
  renderGame(createGame());
  expect(screen.getByRole('heading', { name: question.question })).toBeVisible();
  expect(screen.getByText('brave-heron-7 wants to break the ice')).toBeVisible();
  expect(screen.getAllByRole('radio').map(({ textContent }) => textContent)).toEqual(question.options);
  expect(screen.getByRole('radiogroup', { name: question.question })).toBeVisible();
});

it('reports the chosen option, or Ignore, with the id of the game', async () => {
  const { user, onAnswer, onIgnore } = renderGame(createGame());
  await user.click(getRadio(secondOption));
  expect(onAnswer).toHaveBeenCalledWith('g1', secondOption);
  await user.click(screen.getByRole('button', { name: 'Ignore' }));
  expect(onIgnore).toHaveBeenCalledWith('g1');
});

it('shows no Ignore to the user who asked', () => {
  renderGame(createGame(), { isMine: true });
  expect(screen.getByText('You asked')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Ignore' })).not.toBeInTheDocument();
  expect(screen.getAllByRole('radio')).toHaveLength(question.options.length);
});

it('makes the options one tab stop: the arrow keys wrap around without choosing, and Space chooses', async () => {
  const { user, onAnswer } = renderGame(createGame());
  await user.tab();
  expect(getRadio(firstOption)).toHaveFocus();
  await user.keyboard('{ArrowUp}');
  expect(getRadio(question.options.at(-1) ?? '')).toHaveFocus();
  await user.keyboard('{ArrowDown}{ArrowRight}');
  expect(getRadio(secondOption)).toHaveFocus();
  expect(onAnswer).not.toHaveBeenCalled();
  await user.keyboard(' ');
  expect(onAnswer).toHaveBeenCalledWith('g1', secondOption);
  await user.tab();
  expect(screen.getByRole('button', { name: 'Ignore' })).toHaveFocus();
});

it("locks the options and shows 'You answered' after an answer", async () => {
  const { user, updateGame, onAnswer } = renderGame(createGame());
  await user.tab();
  await user.keyboard('{Enter}');
  expect(onAnswer).toHaveBeenCalledTimes(1);
  updateGame(createGame({ userResponse: firstOption, progress: 'sending' }));
  expect(screen.getByText('You answered')).toBeVisible();
  updateGame(createGame({ userResponse: firstOption, progress: 'answered' }));
  expect(screen.getByText('You answered')).toBeVisible();
  expect(getRadio(firstOption)).toBeChecked();
  for (const radio of screen.getAllByRole('radio')) expect(radio).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Ignore' })).not.toBeInTheDocument();
  await user.click(getRadio(secondOption));
  expect(onAnswer).toHaveBeenCalledTimes(1);
});

it("shows 'You answered' without a chosen option when the answer is unknown, as after a reload of the page", () => {
  renderGame(createGame({ progress: 'answered' }));
  expect(screen.getByText('You answered')).toBeVisible();
  expect(screen.queryByRole('radio', { checked: true })).not.toBeInTheDocument();
});

it('shows that the partner has answered', () => {
  renderGame(createGame({ hasPartnerAnswered: true }));
  expect(screen.getByText('brave-heron-7 has answered')).toBeVisible();
  for (const radio of screen.getAllByRole('radio')) expect(radio).toBeEnabled();
});

it('disables the options and Ignore without a connection', () => {
  renderGame(createGame(), { isConnected: false });
  for (const radio of screen.getAllByRole('radio')) expect(radio).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Ignore' })).toBeDisabled();
});

// When a user ignores the game, `IGNORED_BY_…` takes the place of the answer.
it.each<[cause: string, changes: Partial<GameData>, lines: [string, string]]>([
  [
    'the user has ignored the game',
    { progress: 'ignored', userResponse: 'IGNORED_BY_USER' },
    ['You ignored this game', 'Game ended'],
  ],
  [
    'the partner has ignored the game',
    { progress: 'ignored', userResponse: 'IGNORED_BY_PARTNER' },
    ['Game cancelled by partner', 'You can no longer respond'],
  ],
])('shows two lines and no controls when %s', (_cause, changes, lines) => {
  renderGame(createGame(changes));
  for (const line of lines) expect(screen.getByText(line)).toBeVisible();
  expect(screen.getByRole('heading', { name: question.question })).toBeVisible();
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

it("keeps 'You answered', but not the options, after the reveal", () => {
  renderGame(
    createGame({
      progress: 'revealed',
      userResponse: firstOption,
      partnerResponse: secondOption,
      sameAnswer: false,
    }),
  );
  expect(screen.getByText('You answered')).toBeVisible();
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
});
