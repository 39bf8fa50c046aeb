import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FriendsPanel } from '@/features/friends/components/friends-panel';
import { aFriend } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const friendCount = 500;
/** A generous limit: about 20 rows are in or near a view of 600 px. */
const maxRenderedRows = 40;
const friends = Array.from({ length: friendCount }, (_, index) =>
  aFriend({ id: index + 100, username: `friend ${String(index).padStart(3, '0')}` }),
);

const renderList = async () => {
  fakeServer({ 'GET /api/friends/7': friends });
  const onOpen = jest.fn();
  renderWithCache(<FriendsPanel userId={7} unread={{}} openFriendId={undefined} onOpen={onOpen} />);
  await screen.findByRole('searchbox', { name: 'Search friends' });
  return { onOpen };
};
const getList = () => screen.getByRole('list', { name: 'Friends' });
const getRows = () => within(getList()).getAllByRole('listitem');
/** The name of the friend in whose row the focus is. */
const readFocusedFriend = () => document.activeElement?.closest('li')?.querySelector('p')?.textContent;

beforeEach(() => {
  // jsdom has no layout, and the virtual list needs sizes.
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  jest.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(300);
});
afterEach(() => jest.restoreAllMocks());

it('renders only the rows in and near the view, and reports the number of all rows to screen readers', async () => {
  await renderList();
  const rows = getRows();
  expect(rows.length).toBeLessThan(maxRenderedRows);
  expect(rows[0]).toHaveAttribute('aria-setsize', String(friendCount));
});

it('lets Tab reach only the two buttons of one row', async () => {
  await renderList();
  expect(getList().querySelectorAll('button[tabindex="0"]')).toHaveLength(2);
});

it('moves the focus to the same button of another row with the arrow keys, Home and End', async () => {
  const { onOpen } = await renderList();
  const user = userEvent.setup();
  await user.click(screen.getByRole('searchbox'));
  await user.tab(); // to Send Message of the first row
  await user.tab(); // to Remove Friend of the first row
  expect(document.activeElement).toHaveAccessibleName('Remove Friend');
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(readFocusedFriend()).toBe('friend 002');
  expect(document.activeElement).toHaveAccessibleName('Remove Friend');
  await user.keyboard('{End}');
  expect(readFocusedFriend()).toBe('friend 499');
  await user.keyboard('{Home}');
  await user.tab({ shift: true }); // back to Send Message
  await user.keyboard('{Enter}');
  expect(onOpen).toHaveBeenCalledWith(friends[0]!.id);
});

it('does not move the focus away from a clicked button after an arrow key that led to no other row', async () => {
  await renderList();
  const user = userEvent.setup();
  await user.click(screen.getByRole('searchbox'));
  await user.tab(); // to the first row, which has no row above
  await user.keyboard('{ArrowUp}');
  const removeButton = within(getRows()[2]!).getByRole('button', { name: 'Remove Friend' });
  // A click would also remove the friend.
  act(() => removeButton.focus());
  expect(removeButton).toHaveFocus();
});

it('filters by name and announces the number of matches', async () => {
  await renderList();
  await userEvent.type(screen.getByRole('searchbox'), '49');
  // 049, 149, …, 449, and 490 to 499; announced to screen readers only.
  expect(screen.getByText('15 friends found')).toHaveClass('sr-only');
  expect(getRows()[0]).toHaveTextContent('friend 049');
  await userEvent.type(screen.getByRole('searchbox'), 'x');
  expect(screen.getByText('No friend has that name.')).toBeVisible();
});
