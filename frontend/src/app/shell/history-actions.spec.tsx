import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HistoryActions } from '@/app/shell/history-actions';
import { type HistoryPartner } from '@/features/history/history-partner';
import { useReportDialog } from '@/features/safety/stores/report-dialog.store';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { menuPanelPart } from '@/ui/menu';

const partnerBlock = {
  blockedId: 12,
  username: 'heron',
  avatar: null,
  createdAt: '2026-11-20T12:00:00.000Z',
};

// The code of the menu is loaded on demand.
beforeAll(() => menuPanelPart.preload());

const partner: HistoryPartner = {
  id: 12,
  username: 'heron',
  nameId: 'name', // of the HTML element that shows the name
  allowsFriendRequest: true,
  historyId: 31,
  isReportable: false,
  isUnknown: false,
};
/** Renders the actions on `partner`, with `changes`, for a user who has blocked the people in `blocks`. */
const renderActions = (changes: Partial<HistoryPartner> = {}, blocks: object[] = []) => {
  fakeServer({ 'GET /api/blocks/7': blocks, 'GET /api/friends/7': [] });
  renderWithCache(<HistoryActions userId={7} partner={{ ...partner, ...changes }} />);
};
const openMenuAndListItems = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'More about heron' }));
  return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
};

it('offers Add Friend and Block for a recent partner', async () => {
  renderActions();
  expect(screen.getByRole('button', { name: 'Add Friend' })).toBeVisible();
  expect(await openMenuAndListItems()).toEqual(['Block…']);
});

it('offers only Block for a partner whose chat is too old for a friend request', async () => {
  renderActions({ allowsFriendRequest: false });
  expect(screen.queryByRole('button', { name: 'Add Friend' })).toBeNull();
  expect(await openMenuAndListItems()).toEqual(['Block…']);
});

it('offers only Unblock for a blocked partner', async () => {
  renderActions({}, [partnerBlock]);
  // Add Friend is shown until the blocks have loaded.
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Add Friend' })).toBeNull());
  expect(await openMenuAndListItems()).toEqual(['Unblock']);
});

it('offers a report while the chat can be reported', async () => {
  renderActions({ isReportable: true });
  expect(await openMenuAndListItems()).toEqual(['Report…', 'Block…']);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Report…' }));
  expect(useReportDialog.getState().target).toEqual({
    person: { id: 12, username: 'heron' },
    chat: { historyId: 31 },
  });
});

it('offers only a report for an unknown partner, whose profile is hidden', async () => {
  renderActions({ isReportable: true, isUnknown: true });
  expect(await openMenuAndListItems()).toEqual(['Report…']);
  expect(screen.queryByRole('button', { name: 'Add Friend' })).toBeNull();
});

it('offers no action for an unknown partner who can no longer be reported', () => {
  renderActions({ isUnknown: true });
  expect(screen.queryByRole('button')).toBeNull();
});
