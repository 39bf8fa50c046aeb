import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FriendSwitcher } from '@/features/friends/components/friend-switcher';
import { aFriend } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const friends = ['heron', 'finch', 'hawk'].map((username, index) =>
  aFriend({ id: index + 12, username, isOnline: false }),
);
const [heron, finch, hawk] = friends;

const renderSwitcher = async () => {
  fakeServer({ 'GET /api/friends/7': friends });
  const onOpen = jest.fn();
  const onDismiss = jest.fn();
  renderWithCache(
    <FriendSwitcher userId={7} unread={{ [heron!.id]: 2 }} onOpen={onOpen} onDismiss={onDismiss} />,
  );
  await screen.findByRole('option', { name: /finch/ });
  return { onOpen, onDismiss, user: userEvent.setup() };
};
const getSelectedOption = () => screen.getByRole('option', { selected: true });

it('focuses the search and preselects the friend with unread messages', async () => {
  await renderSwitcher();
  const search = screen.getByRole('combobox', { name: 'Search friends' });
  expect(search).toHaveFocus();
  expect(getSelectedOption()).toHaveTextContent('heron');
  expect(search).toHaveAttribute('aria-activedescendant', getSelectedOption().id);
});

it('filters by the typed letters', async () => {
  const { user } = await renderSwitcher();
  // All three names contain an h.
  await user.keyboard('h');
  expect(screen.getAllByRole('option')).toHaveLength(3);
  await user.keyboard('aw');
  expect(screen.getAllByRole('option')).toHaveLength(1);
  await user.keyboard('{Backspace}{Backspace}');
  expect(screen.getAllByRole('option')).toHaveLength(3);
});

it('wraps around with the arrow keys', async () => {
  const { user } = await renderSwitcher();
  await user.keyboard('{ArrowUp}');
  expect(getSelectedOption()).toHaveTextContent('hawk');
  await user.keyboard('{ArrowDown}');
  expect(getSelectedOption()).toHaveTextContent('heron');
});

it('opens the selected friend with Enter and closes', async () => {
  const { user, onOpen, onDismiss } = await renderSwitcher();
  await user.keyboard('{ArrowDown}');
  expect(getSelectedOption()).toHaveTextContent('finch');
  await user.keyboard('{Enter}');
  expect(onOpen).toHaveBeenCalledWith(finch!.id);
  expect(onDismiss).toHaveBeenCalledTimes(1);
});

it('opens a friend with a click', async () => {
  const { user, onOpen } = await renderSwitcher();
  await user.click(screen.getByRole('option', { name: /hawk/ }));
  expect(onOpen).toHaveBeenCalledWith(hawk!.id);
});

it('shows that no friend has the searched name, and opens no friend with Enter', async () => {
  const { user, onOpen } = await renderSwitcher();
  await user.keyboard('zebra{Enter}');
  expect(screen.getByText('No friend has that name.')).toBeVisible();
  expect(onOpen).not.toHaveBeenCalled();
});

it('does not hide the text "No friends yet" from screen readers', async () => {
  fakeServer({ 'GET /api/friends/7': [] });
  renderWithCache(<FriendSwitcher userId={7} unread={{}} onOpen={jest.fn()} onDismiss={jest.fn()} />);
  const text = await screen.findByText(/No friends yet/);
  expect(text.closest('[aria-hidden="true"]')).toBeNull();
});
