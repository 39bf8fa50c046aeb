import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { BlockLink } from '@/features/safety/components/block-link';
import { MoreAbout, type MoreAboutProps } from '@/features/safety/components/more-about';
import { closeBlockDialog, useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { menuPanelPart } from '@/ui/menu';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const asked = () => useBlockDialog.getState().person;

beforeAll(() => menuPanelPart.preload());
beforeEach(() => closeBlockDialog());

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

it('asks before it blocks the partner of an ended chat', async () => {
  renderWithCache(<BlockLink person={heron} />);
  await userEvent.click(screen.getByRole('button', { name: 'Block' }));
  expect(asked()).toEqual(heron);
});
