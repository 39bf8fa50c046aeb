import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { PartnerLinks } from '@/features/safety/components/partner-links';
import { MoreAbout, type MoreAboutProps } from '@/features/safety/components/more-about';
import { closeBlockDialog, useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { closeReportDialog, useReportDialog } from '@/features/safety/stores/report-dialog.store';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { menuPanelPart } from '@/ui/menu';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const reported = () => useReportDialog.getState().target;
const asked = () => useBlockDialog.getState().person;

beforeAll(() => menuPanelPart.preload());
beforeEach(() => {
  closeBlockDialog();
  closeReportDialog();
});

const choose = async (changes: Partial<MoreAboutProps>, name: string, item: string): Promise<void> => {
  renderWithCache(<MoreAbout userId={7} person={heron} {...changes} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
};

it.each([
  [{}, 'More about heron'],
  [{ isShort: true }, 'More'],
])('asks before it blocks, with %j', async (changes, name) => {
  await choose(changes, name, 'Block…');
  expect(asked()).toEqual(heron);
});

it('unblocks a blocked person without a question', async () => {
  const server = fakeServer({ 'DELETE /api/blocks/7/12': undefined });
  await choose({ isBlocked: true }, 'More about heron', 'Unblock');
  await waitFor(() => expect(useToasts.getState().shown?.title).toBe('Unblocked'));
  expect(server.count('DELETE', '/api/blocks/7/12')).toBe(1);
  expect(asked()).toBeNull();
});

it('reports the person with the given chat', async () => {
  await choose({ reportedChat: { historyId: 31 } }, 'More about heron', 'Report…');
  expect(reported()).toEqual({ person: heron, chat: { historyId: 31 } });
});

it('offers the house rules in a tab of their own, beside the chat', async () => {
  renderWithCache(<MoreAbout userId={7} person={heron} reportedChat={{ sessionId: 's1' }} isShort />);
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Report…', 'Block…', 'House rules']);
  expect(items[2]).toHaveAttribute('href', '/rules');
  expect(items[2]).toHaveAttribute('target', '_blank');
});

it('asks before it reports or blocks the partner of an ended chat', async () => {
  renderWithCache(<PartnerLinks person={heron} sessionId="s1" />);
  await userEvent.click(screen.getByRole('button', { name: 'Report' }));
  expect(reported()).toEqual({ person: heron, chat: { sessionId: 's1' } });
  await userEvent.click(screen.getByRole('button', { name: 'Block' }));
  expect(asked()).toEqual(heron);
});
