import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FriendsPanel } from '@/features/friends/components/friends-panel';
import { aFriend } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const friendCount = 500;
/** Far fewer than all, and more than the rows in and near the view. */
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
const readFocusedName = () => document.activeElement?.closest('li')?.querySelector('p')?.textContent;

beforeEach(() => {
  // jsdom has no layout, and the virtual list needs sizes.
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  jest.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(300);
});
afterEach(() => jest.restoreAllMocks());

it('renders only the rows in and near the view, and reports the number of all rows to screen readers', async () => {
  await renderList();
  const rows = within(getList()).getAllByRole('listitem');
  expect(rows.length).toBeLessThan(maxRenderedRows);
  expect(rows[0]).toHaveAttribute('aria-setsize', String(friendCount));
});

it('has two tab stops, the buttons of one row; the arrow keys move to the same button of another row', async () => {
  const { onOpen } = await renderList();
  const user = userEvent.setup();
  expect(getList().querySelectorAll('button[tabindex="0"]')).toHaveLength(2);
  await user.click(screen.getByRole('searchbox'));
  await user.tab();
  await user.tab();
  expect(document.activeElement).toHaveAccessibleName('Remove Friend');
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(readFocusedName()).toBe('friend 002');
  expect(document.activeElement).toHaveAccessibleName('Remove Friend');
  await user.keyboard('{End}');
  expect(readFocusedName()).toBe('friend 499');
  // From Remove Friend back to Send Message of the first row.
  await user.keyboard('{Home}{Shift>}{Tab}{/Shift}{Enter}');
  expect(onOpen).toHaveBeenCalledWith(100);
});

it('leaves the focus on a button that is clicked after an arrow key was pressed at the end of the list', async () => {
  await renderList();
  const user = userEvent.setup();
  await user.click(screen.getByRole('searchbox'));
  await user.tab();
  await user.keyboard('{ArrowUp}');
  const removeButton = within(within(getList()).getAllByRole('listitem')[2]!).getByRole('button', {
    name: 'Remove Friend',
  });
  act(() => removeButton.focus());
  expect(removeButton).toHaveFocus();
});

it('filters by name and announces the number of matches', async () => {
  await renderList();
  await userEvent.type(screen.getByRole('searchbox'), '49');
  // 049, 149, …, and 490 to 499.
  expect(screen.getByText('15 friends found')).toHaveClass('sr-only');
  expect(within(getList()).getAllByRole('listitem')[0]).toHaveTextContent('friend 049');
  await userEvent.type(screen.getByRole('searchbox'), 'x');
  expect(screen.getByText('No friend has that name.')).toBeVisible();
});
