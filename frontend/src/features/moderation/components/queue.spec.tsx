import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { casesUrl } from '@/features/moderation/api/queries';
import { Refusal } from '@/testing/fake-server';
import { aCase, aCaseItem } from '@/testing/moderation-factories';
import {
  findCaseHeading,
  openQueueRoute,
  createCaseListResponse,
  getQueueRow,
  moderatorId,
  showModeration,
  createThreeCases,
} from '@/testing/moderation-page';
import { popoverPanelPart } from '@/ui/popover';

/** Another moderator, whom the server of `showModeration` calls mod-two. */
const otherModeratorId = 4;

// Popovers load their panel on demand.
beforeAll(() => popoverPanelPart.preload());
// The page logs refused requests.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

/** The usernames of the rows in order. Each is in a `bdi` element. */
const getListedNames = (): string[] =>
  within(screen.getByRole('list', { name: 'Cases' }))
    .getAllByRole('listitem')
    .map((item) => item.querySelector('bdi')?.textContent ?? '');

/** Joins the texts of adjacent elements as `toHaveTextContent` sees them: without spaces. */
const joinChildren = (...texts: string[]): string => texts.join('');

it('shows in a row the urgency, what the case is about, its state, and how long it has been open', async () => {
  const hourMs = 60 * 60_000;
  const moderationCase = aCase({
    categories: { sexual: 2, hate: 1 },
    reporters: 3,
    priors: 1,
    isAutomatic: true,
    standing: 'care', // the user is matched only with others of this standing
    kind: 'appeal',
    state: 'escalated',
    openedAt: new Date(Date.now() - 26 * hourMs).toISOString(),
  });
  showModeration([moderationCase]);
  const item = await screen.findByRole('listitem');
  // The row begins with the urgency.
  expect(item).toHaveTextContent(
    joinChildren('340', 'brave-heron-7', 'Appeal', 'Escalated', 'In care', 'Automatic'),
  );
  expect(item).toHaveTextContent('Sexual 2 · Hate · 3 reporters · 1 prior sanction');
  // Such a case should be decided within 24 hours.
  expect(item).toHaveTextContent('open 26 h · 2 h late · anonymous');
  expect(screen.getByText('1 case waits')).toBeVisible();
  expect(screen.getByText('Aim: minor and threat within 1 hour, the rest within 24 hours.')).toBeVisible();
});

it('names an erased user by their number', async () => {
  // The username is empty once the account is erased.
  showModeration([aCase({ userId: 9, username: '' })]);
  expect(await screen.findByRole('listitem')).toHaveTextContent(joinChildren('340', 'Person #9'));
});

it('shows the parts that make up the urgency', async () => {
  const { user } = showModeration([aCase({ openedAt: new Date().toISOString() })]);
  await user.click(await screen.findByRole('button', { name: 'Urgency 340' }));
  const panel = await screen.findByRole('dialog', { name: 'How the urgency is made up' });
  expect(panel).toHaveTextContent(
    joinChildren('Gravest reason', '300', 'More reporters', '+40', 'Urgency', '340'),
  );
});

it('dims a case that another moderator has claimed, and names the moderator', async () => {
  // A claim reserves a case for one moderator.
  showModeration([aCase({ claimedBy: otherModeratorId, claimedUntil: '2026-11-21T10:00:00.000Z' })]);
  const item = await screen.findByRole('listitem');
  await waitFor(() => expect(item).toHaveTextContent('Claimed by mod-two'));
  expect(item).toHaveAttribute('data-dimmed', 'true');
});

it('says that nothing waits when the queue is empty', async () => {
  showModeration([]);
  expect(await screen.findByText('Nothing waits. Thank you.')).toBeVisible();
});

it('the filter Mine shows only the cases that the moderator has claimed, and is stored in the address', async () => {
  const [first, ...others] = createThreeCases();
  const claimedCase = { ...first!, claimedBy: moderatorId, claimedUntil: '2026-11-21T10:00:00.000Z' };
  const { user } = showModeration([claimedCase, ...others]);
  await screen.findByText('3 cases wait');
  await user.click(screen.getByRole('radio', { name: 'Mine' }));
  expect(getListedNames()).toEqual(['brave-heron-7']);
  expect(window.location.search).toBe('?show=mine');
});

it('requests the decided and the held cases when their filter is chosen', async () => {
  // The server of `showModeration` has no decided and no held cases.
  const { user, server } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  await user.click(screen.getByRole('radio', { name: 'Decided' }));
  expect(await screen.findByText('No case was decided yet.')).toBeVisible();
  // Held cases are about people whose data is under a legal hold.
  await user.click(screen.getByRole('radio', { name: 'Held' }));
  expect(server.count('GET', `${casesUrl}?state=held&limit=50`)).toBe(1);
});

it('moves no row while the pointer is in the list, and shows the new order on request', async () => {
  const { server, queryClient, user } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  await user.hover(getQueueRow('silent-badger'));
  // Another case is the most urgent one now, and the first of the three has been decided.
  server.routes[openQueueRoute] = createCaseListResponse([
    aCaseItem({ id: 99, username: 'new-one', urgency: 900 }),
    ...createThreeCases().slice(1),
  ]);
  await act(() => queryClient.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/^No longer waits/)).toBeVisible();
  expect(getListedNames()).toEqual(['brave-heron-7', 'silent-badger', 'loud-fox']);
  await user.click(screen.getByRole('button', { name: 'Show 1 new case' }));
  await waitFor(() => expect(getListedNames()).toEqual(['new-one', 'silent-badger', 'loud-fox']));
});

it('shows the new order when the pointer appears outside the list, even without a pointerleave', async () => {
  const { server, queryClient, user } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  await user.hover(getQueueRow('silent-badger'));
  server.routes[openQueueRoute] = createCaseListResponse(createThreeCases().slice(1));
  await act(() => queryClient.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/^No longer waits/)).toBeVisible();
  // On a small screen an open case hides the list under the pointer. Browsers send no pointerleave then.
  fireEvent.pointerOver(screen.getByRole('heading', { name: 'Queue' }));
  await waitFor(() => expect(getListedNames()).toEqual(['silent-badger', 'loud-fox']));
});

it('loads the next page on request', async () => {
  const nextPageRoute = `GET ${casesUrl}?state=open&limit=50&cursor=c1` as const;
  const { user } = showModeration([aCase()], '', {
    [openQueueRoute]: createCaseListResponse([aCaseItem()], 'c1'),
    [nextPageRoute]: createCaseListResponse([aCaseItem({ id: 9, username: 'later-one' })]),
  });
  await user.click(await screen.findByRole('button', { name: 'Show more' }));
  await waitFor(() => expect(getListedNames()).toEqual(['brave-heron-7', 'later-one']));
});

it('keeps the list when it cannot be refreshed, and shows a message', async () => {
  const { server, queryClient } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  server.routes[openQueueRoute] = new Refusal(503);
  await act(() => queryClient.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/could not be refreshed/)).toBeVisible();
  expect(getListedNames()).toHaveLength(3);
});

it('calls onForbidden when the server responds that the user is no moderator', async () => {
  const { onForbidden } = showModeration([], '', { [openQueueRoute]: new Refusal(403) });
  await waitFor(() => expect(onForbidden).toHaveBeenCalled());
});

it('focuses the next row with J and the previous row with K, and loads no case', async () => {
  const { user, server } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  await user.keyboard('jj');
  expect(getQueueRow('silent-badger')).toHaveFocus();
  await user.keyboard('k');
  expect(getQueueRow('brave-heron')).toHaveFocus();
  // The server records each load of a case as a read by the moderator.
  expect(server.calls.some(({ url }) => /cases\/\d/.test(url))).toBe(false);
});

it('opens the focused case with O and the next case with J, and returns to its row with Escape', async () => {
  const { user } = showModeration(createThreeCases());
  await screen.findByText('3 cases wait');
  await user.keyboard('j');
  expect(getQueueRow('brave-heron')).toHaveFocus();
  await user.keyboard('o');
  expect(await findCaseHeading('Case 8: brave-heron-7')).toHaveFocus();
  await user.keyboard('j');
  expect(await findCaseHeading('Case 11: silent-badger')).toHaveFocus();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(getQueueRow('silent-badger')).toHaveFocus());
  expect(screen.queryByRole('heading', { name: /^Case/ })).toBeNull();
});

it('does not claim the open case with Ctrl+C, which the browser uses to copy', async () => {
  const { user, server } = showModeration(createThreeCases(), '?case=8');
  await findCaseHeading('Case 8: brave-heron-7');
  await user.keyboard('{Control>}c{/Control}');
  expect(server.count('POST', '/api/moderation/cases/8/claim')).toBe(0);
});

it('claims the open case with C, announces the claim, and releases the case with C again', async () => {
  const { user, server } = showModeration(createThreeCases(), '?case=8');
  await findCaseHeading('Case 8: brave-heron-7');
  await user.keyboard('c');
  expect(await screen.findByText(/^Claimed by you until/)).toBeVisible();
  expect(screen.getByText('Case 8 is claimed by you.')).toBeInTheDocument();
  await user.keyboard('c');
  await screen.findByRole('button', { name: 'Claim' });
  expect(server.count('DELETE', '/api/moderation/cases/8/claim')).toBe(1);
});

it('does not announce a release that has failed', async () => {
  const { user, server } = showModeration([aCase({ claimedBy: moderatorId })], '?case=8', {
    'DELETE /api/moderation/cases/8/claim': new Refusal(503),
  });
  await findCaseHeading('Case 8: brave-heron-7');
  const countQueueLoads = () => server.calls.filter(({ url }) => url.startsWith(`${casesUrl}?`)).length;
  const queueLoadsBefore = countQueueLoads();
  await user.keyboard('c');
  // The page has handled the failure when it has reloaded the case, and then the queue.
  await waitFor(() => expect(countQueueLoads()).toBe(queueLoadsBefore + 1));
  await act(async () => undefined); // renders the announcement, if there is one
  expect(screen.getByRole('button', { name: 'Release' })).toBeVisible();
  expect(screen.queryByText('Case 8 is released.')).toBeNull();
});

it('lists the keyboard shortcuts when ? is pressed', async () => {
  const { user } = showModeration([]);
  await user.keyboard('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(dialog).toHaveTextContent(joinChildren('D', 'Decide'));
});
