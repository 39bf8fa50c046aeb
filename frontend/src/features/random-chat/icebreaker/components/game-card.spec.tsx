import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { GameCard } from '@/features/random-chat/icebreaker/components/game-card';
import { type GameData } from '@/features/random-chat/icebreaker/game';

const [question] = questions as [Question];
const [soup, film] = question.options as [string, string];

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

const show = (game: GameData, { isMine = false, isConnected = true } = {}) => {
  const onAnswer = jest.fn();
  const onIgnore = jest.fn();
  const getCard = (shown: GameData) => (
    <GameCard
      game={shown}
      isMine={isMine}
      partnerName="brave-heron-7"
      isConnected={isConnected}
      onAnswer={onAnswer}
      onIgnore={onIgnore}
    />
  );
  const { rerender } = render(getCard(game));
  return {
    onAnswer,
    onIgnore,
    showGame: (next: GameData) => rerender(getCard(next)),
    user: userEvent.setup(),
  };
};

const getRadio = (name: string): HTMLElement => screen.getByRole('radio', { name });

it('shows the question with five options and Ignore', async () => {
  const { user, onAnswer, onIgnore } = show(createGame());
  expect(screen.getByRole('heading', { name: question.question })).toBeVisible();
  expect(screen.getByText('brave-heron-7 wants to break the ice')).toBeVisible();
  expect(screen.getAllByRole('radio').map(({ textContent }) => textContent)).toEqual(question.options);
  expect(screen.getByRole('radiogroup', { name: question.question })).toBeVisible();
  await user.click(getRadio(film));
  expect(onAnswer).toHaveBeenCalledWith('g1', film);
  await user.click(screen.getByRole('button', { name: 'Ignore' }));
  expect(onIgnore).toHaveBeenCalledWith('g1');
});

it('shows no Ignore to the user who asked', () => {
  show(createGame(), { isMine: true });
  expect(screen.getByText('You asked')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Ignore' })).not.toBeInTheDocument();
  expect(screen.getAllByRole('radio')).toHaveLength(5);
});

it('is one tab stop; the arrow keys wrap around without choosing, Space chooses', async () => {
  const { user, onAnswer } = show(createGame());
  await user.tab();
  expect(getRadio(soup)).toHaveFocus();
  await user.keyboard('{ArrowUp}');
  expect(getRadio(question.options[4] ?? '')).toHaveFocus();
  await user.keyboard('{ArrowDown}{ArrowRight}');
  expect(getRadio(film)).toHaveFocus();
  expect(onAnswer).not.toHaveBeenCalled();
  await user.keyboard(' ');
  expect(onAnswer).toHaveBeenCalledWith('g1', film);
  await user.tab();
  expect(screen.getByRole('button', { name: 'Ignore' })).toHaveFocus();
});

it("is locked and says 'You answered' after an answer", async () => {
  const { user, showGame, onAnswer } = show(createGame());
  await user.tab();
  await user.keyboard('{Enter}');
  showGame(createGame({ userResponse: soup, progress: 'sending' }));
  showGame(createGame({ userResponse: soup, progress: 'answered' }));
  expect(screen.getByText('You answered')).toBeVisible();
  expect(getRadio(soup)).toBeChecked();
  for (const row of screen.getAllByRole('radio')) expect(row).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Ignore' })).not.toBeInTheDocument();
  await user.click(getRadio(film));
  expect(onAnswer).toHaveBeenCalledTimes(1);
});

it('shows that the user has answered when the answer itself is unknown', () => {
  show(createGame({ progress: 'answered' }));
  expect(screen.getByText('You answered')).toBeVisible();
  expect(screen.queryByRole('radio', { checked: true })).not.toBeInTheDocument();
});

it('shows that the partner has answered', () => {
  show(createGame({ hasPartnerAnswered: true }));
  expect(screen.getByText('brave-heron-7 has answered')).toBeVisible();
  for (const row of screen.getAllByRole('radio')) expect(row).toBeEnabled();
});

it('is disabled without a connection', () => {
  show(createGame(), { isConnected: false });
  for (const row of screen.getAllByRole('radio')) expect(row).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Ignore' })).toBeDisabled();
});

it.each<[string, Partial<GameData>, [string, string]]>([
  [
    'ignored by me',
    { progress: 'ignored', userResponse: 'IGNORED_BY_USER' },
    ['You ignored this game', 'Game ended'],
  ],
  [
    'ignored by the partner',
    { progress: 'ignored', userResponse: 'IGNORED_BY_PARTNER' },
    ['Game cancelled by partner', 'You can no longer respond'],
  ],
])('shows two lines and no controls when %s', (_what, changes, lines) => {
  show(createGame(changes));
  for (const line of lines) expect(screen.getByText(line)).toBeVisible();
  expect(screen.getByRole('heading', { name: question.question })).toBeVisible();
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

it("keeps 'You answered' after the reveal", () => {
  show(createGame({ progress: 'revealed', userResponse: soup, partnerResponse: film, sameAnswer: false }));
  expect(screen.getByText('You answered')).toBeVisible();
  expect(screen.queryByRole('radio')).not.toBeInTheDocument();
});
