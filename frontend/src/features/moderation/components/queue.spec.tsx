import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { casesUrl } from '@/features/moderation/api/queries';
import { Refusal } from '@/testing/fake-server';
import { aCase, aCaseItem } from '@/testing/moderation-factories';
import {
  caseHeading,
  openQueue,
  createCasePage,
  row,
  showModeration,
  threeCases,
} from '@/testing/moderation-page';
import { popoverPanelPart } from '@/ui/popover';

beforeAll(() => popoverPanelPart.preload());
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const listNames = (): string[] =>
  within(screen.getByRole('list', { name: 'Cases' }))
    .getAllByRole('listitem')
    .map((item) => /[a-z]+-[a-z]+/.exec(item.textContent ?? '')?.[0] ?? '');

it('lists the cases with what a moderator chooses by', async () => {
  const shown = aCase({
    categories: { sexual: 2, hate: 1 },
    reporters: 3,
    priors: 1,
    isAutomatic: true,
    standing: 'care',
    kind: 'appeal',
    state: 'escalated',
    openedAt: new Date(Date.now() - 26 * 60 * 60_000).toISOString(),
  });
  showModeration([shown]);
  const item = await screen.findByRole('listitem');
  expect(item).toHaveTextContent('340brave-heron-7AppealEscalatedIn careAutomatic');
  expect(item).toHaveTextContent('Sexual 2 · Hate · 3 reporters · 1 prior sanction');
  expect(item).toHaveTextContent('open 26 h · 2 h late · anonymous');
  expect(screen.getByText('1 case waits')).toBeVisible();
  expect(screen.getByText('Aim: minor and threat within 1 hour, the rest within 24 hours.')).toBeVisible();
});

it('names an erased user by their number', async () => {
  showModeration([aCase({ userId: 9, username: '' })]);
  expect(await screen.findByRole('listitem')).toHaveTextContent('340Person #9');
});

it('shows the parts that make up the urgency', async () => {
  const { user } = showModeration([aCase({ openedAt: new Date().toISOString() })]);
  await user.click(await screen.findByRole('button', { name: 'Urgency 340' }));
  const panel = await screen.findByRole('dialog', { name: 'How the urgency is made up' });
  expect(panel).toHaveTextContent('Gravest reason300More reporters+40Urgency340');
});

it('dims a case of another moderator and names them', async () => {
  showModeration([aCase({ claimedBy: 4, claimedUntil: '2026-11-21T10:00:00.000Z' })]);
  const item = await screen.findByRole('listitem');
  await waitFor(() => expect(item).toHaveTextContent('Claimed by mod-two'));
  expect(item).toHaveAttribute('data-dimmed', 'true');
});

it('says so when the queue is empty', async () => {
  showModeration([]);
  expect(await screen.findByText('Nothing waits. Thank you.')).toBeVisible();
});

it('filters the queue: open cases claimed by the moderator, decided cases, and held cases', async () => {
  const [first, ...others] = threeCases();
  const { user, server } = showModeration([
    { ...first!, claimedBy: 3, claimedUntil: '2026-11-21T10:00:00.000Z' },
    ...others,
  ]);
  await screen.findByText('3 cases wait');
  await user.click(screen.getByRole('radio', { name: 'Mine' }));
  expect(listNames()).toEqual(['brave-heron']);
  expect(window.location.search).toBe('?show=mine');
  await user.click(screen.getByRole('radio', { name: 'Decided' }));
  expect(await screen.findByText('No case was decided yet.')).toBeVisible();
  await user.click(screen.getByRole('radio', { name: 'Held' }));
  expect(server.count('GET', `${casesUrl}?state=held&limit=50`)).toBe(1);
});

it('moves no row while the pointer is in the list, and takes over the new order when asked', async () => {
  const { server, queries, user } = showModeration(threeCases());
  await screen.findByText('3 cases wait');
  await user.hover(row('silent-badger'));
  server.routes[openQueue] = createCasePage([
    aCaseItem({ id: 99, username: 'new-one', urgency: 900 }),
    ...threeCases().slice(1),
  ]);
  await act(() => queries.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/^No longer waits/)).toBeVisible();
  expect(listNames()).toEqual(['brave-heron', 'silent-badger', 'loud-fox']);
  await user.click(screen.getByRole('button', { name: 'Show 1 new case' }));
  await waitFor(() => expect(listNames()).toEqual(['new-one', 'silent-badger', 'loud-fox']));
});

it('releases the rows when the pointer is elsewhere, even if an open case hid the list under it', async () => {
  const { server, queries, user } = showModeration(threeCases());
  await screen.findByText('3 cases wait');
  await user.hover(row('silent-badger'));
  server.routes[openQueue] = createCasePage(threeCases().slice(1));
  await act(() => queries.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/^No longer waits/)).toBeVisible();
  // No pointerleave: a browser sends none to a list that is not rendered.
  fireEvent.pointerOver(screen.getByRole('heading', { name: 'Queue' }));
  await waitFor(() => expect(listNames()).toEqual(['silent-badger', 'loud-fox']));
});

it('loads the next page on request', async () => {
  const next = `GET ${casesUrl}?state=open&limit=50&cursor=c1` as const;
  const { user } = showModeration([aCase()], '', {
    [openQueue]: createCasePage([aCaseItem()], 'c1'),
    [next]: createCasePage([aCaseItem({ id: 9, username: 'later-one' })]),
  });
  await user.click(await screen.findByRole('button', { name: 'Show more' }));
  await waitFor(() => expect(listNames()).toEqual(['brave-heron', 'later-one']));
});

it('keeps the list and says so when it cannot be refreshed', async () => {
  const { server, queries } = showModeration(threeCases());
  await screen.findByText('3 cases wait');
  server.routes[openQueue] = new Refusal(503);
  await act(() => queries.invalidateQueries({ queryKey: [casesUrl] }));
  expect(await screen.findByText(/could not be refreshed/)).toBeVisible();
  expect(listNames()).toHaveLength(3);
});

it('leaves the tool when the server says that the user is no moderator', async () => {
  const { onForbidden } = showModeration([], '', { [openQueue]: new Refusal(403) });
  await waitFor(() => expect(onForbidden).toHaveBeenCalled());
});

it('moves with J and K in the list, opens with O, and continues with J inside a case', async () => {
  const { user, server } = showModeration(threeCases());
  await screen.findByText('3 cases wait');
  await user.keyboard('jj');
  expect(row('silent-badger')).toHaveFocus();
  await user.keyboard('k');
  expect(row('brave-heron')).toHaveFocus();
  expect(server.calls.some(({ url }) => /cases\/\d/.test(url))).toBe(false);
  await user.keyboard('o');
  expect(await caseHeading('Case 8: brave-heron-7')).toHaveFocus();
  await user.keyboard('j');
  expect(await caseHeading('Case 11: silent-badger')).toHaveFocus();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(row('silent-badger')).toHaveFocus());
  expect(screen.queryByRole('heading', { name: /^Case/ })).toBeNull();
});

it('claims and releases with C, and leaves keys with Ctrl to the browser', async () => {
  const { user, server } = showModeration(threeCases(), '?case=8');
  await caseHeading('Case 8: brave-heron-7');
  await user.keyboard('{Control>}c{/Control}');
  expect(server.count('POST', '/api/moderation/cases/8/claim')).toBe(0);
  await user.keyboard('c');
  expect(await screen.findByText(/^Claimed by you until/)).toBeVisible();
  expect(screen.getByText('Case 8 is claimed by you.')).toBeInTheDocument();
  await user.keyboard('c');
  await screen.findByRole('button', { name: 'Claim' });
  expect(server.count('DELETE', '/api/moderation/cases/8/claim')).toBe(1);
});

it('lists the keys on ?', async () => {
  const { user } = showModeration([]);
  await user.keyboard('?');
  expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toHaveTextContent('DDecide');
});
