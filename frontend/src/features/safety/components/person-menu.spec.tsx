import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { PartnerSafetyButtons } from '@/features/safety/components/partner-safety-buttons';
import { PersonMenu, type PersonMenuProps } from '@/features/safety/components/person-menu';
import { closeBlockDialog, useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { closeReportDialog, useReportDialog } from '@/features/safety/stores/report-dialog.store';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { menuPanelPart } from '@/ui/menu';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const getReportTarget = () => useReportDialog.getState().target;
const getPersonToBlock = () => useBlockDialog.getState().person;

// The code of the menu is loaded on demand.
beforeAll(() => menuPanelPart.preload());
beforeEach(() => {
  closeBlockDialog();
  closeReportDialog();
});

/** Renders the menu of heron for user 7, and opens it. */
const openMenu = async (props: Partial<PersonMenuProps>) => {
  renderWithCache(<PersonMenu userId={7} person={heron} {...props} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: props.isInToolbar ? 'More' : 'More about heron' }));
  return {
    choose: async (item: string) => user.click(await screen.findByRole('menuitem', { name: item })),
  };
};

it.each<[place: string, props: Partial<PersonMenuProps>]>([
  ['outside a chat', {}],
  ['in the toolbar of a chat', { isInToolbar: true }],
])('%s, Block opens the block dialog for the person', async (_place, props) => {
  const { choose } = await openMenu(props);
  await choose('Block…');
  expect(getPersonToBlock()).toEqual(heron);
});

it('unblocks a blocked person without asking for confirmation', async () => {
  const server = fakeServer({ 'DELETE /api/blocks/7/12': undefined });
  const { choose } = await openMenu({ isBlocked: true });
  await choose('Unblock');
  await waitFor(() => expect(useToasts.getState().shown?.title).toBe('Unblocked'));
  expect(server.count('DELETE', '/api/blocks/7/12')).toBe(1);
  expect(getPersonToBlock()).toBeNull();
});

it('Report opens the report dialog for the person and the given chat', async () => {
  const { choose } = await openMenu({ reportedChat: { historyId: 31 } });
  await choose('Report…');
  expect(getReportTarget()).toEqual({ person: heron, chat: { historyId: 31 } });
});

it('also offers the house rules in the toolbar of a chat, as a link that opens a new tab', async () => {
  await openMenu({ reportedChat: { sessionId: 's1' }, isInToolbar: true });
  const items = await screen.findAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Report…', 'Block…', 'House rules']);
  expect(items[2]).toHaveAttribute('href', '/rules');
  expect(items[2]).toHaveAttribute('target', '_blank');
});

it('PartnerSafetyButtons, below an ended chat, open the report and block dialogs for the partner', async () => {
  renderWithCache(<PartnerSafetyButtons person={heron} sessionId="s1" />);
  await userEvent.click(screen.getByRole('button', { name: 'Report' }));
  expect(getReportTarget()).toEqual({ person: heron, chat: { sessionId: 's1' } });
  await userEvent.click(screen.getByRole('button', { name: 'Block' }));
  expect(getPersonToBlock()).toEqual(heron);
});
