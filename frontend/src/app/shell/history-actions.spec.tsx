import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HistoryActions } from '@/app/shell/history-actions';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { menuPanelPart } from '@/ui/menu';

const blocked = { blockedId: 12, username: 'heron', avatar: null, createdAt: '2026-11-20T12:00:00.000Z' };

beforeAll(() => menuPanelPart.preload());

const show = (blocks: object[], isRecent = true) => {
  fakeServer({ 'GET /api/blocks/7': blocks, 'GET /api/friends/7': [] });
  renderWithCache(
    <HistoryActions userId={7} partner={{ id: 12, username: 'heron', nameId: 'name', isRecent }} />,
  );
};
const items = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'More about heron' }));
  return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
};

it('offers Add Friend and Block for a recent partner', async () => {
  show([]);
  expect(screen.getByRole('button', { name: 'Add Friend' })).toBeVisible();
  expect(await items()).toEqual(['Block…']);
});

it('offers Block alone for a partner of a chat that is too old', async () => {
  show([], false);
  expect(screen.queryByRole('button', { name: 'Add Friend' })).toBeNull();
  expect(await items()).toEqual(['Block…']);
});

it('offers Unblock alone for a blocked partner', async () => {
  show([blocked]);
  await expect(screen.findByRole('button', { name: 'More about heron' })).resolves.toBeVisible();
  expect(await items()).toEqual(['Unblock']);
  expect(screen.queryByRole('button', { name: 'Add Friend' })).toBeNull();
});
