import { type QueryClient } from '@tanstack/react-query';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { friendsKey } from '@/features/friends/api/friends';
import { FriendsPanel, type FriendsPanelProps } from '@/features/friends/components/friends-panel';
import { aFriend } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const heron = aFriend({ id: 12, username: 'heron', isOnline: false });
const finch = aFriend({ id: 13, username: 'finch', isOnline: true });

/** Renders the panel of user 7. @param queryClient the cache of an earlier panel; a new cache by default */
const renderPanel = (changes: Partial<FriendsPanelProps> = {}, queryClient?: QueryClient) => {
  const onOpen = jest.fn();
  const rendered = renderWithCache(
    <FriendsPanel userId={7} unread={{}} openFriendId={undefined} onOpen={onOpen} {...changes} />,
    queryClient,
  );
  return { ...rendered, onOpen };
};

const getRows = () => within(screen.getByRole('list', { name: 'Friends' })).getAllByRole('listitem');

describe('the list', () => {
  it('shows the number of friends, those who are online first, and the presence of each as text', async () => {
    fakeServer({ 'GET /api/friends/7': [heron, finch] });
    renderPanel();
    expect(await screen.findByRole('heading', { name: 'Friends (2)' })).toBeVisible();
    const [first, second] = getRows();
    expect(first).toHaveTextContent('finchOnline');
    expect(second).toHaveTextContent('heronOffline');
  });

  it.each([
    [1, '1'],
    [99, '99'],
    [100, '99+'],
  ])(
    'shows a friend with %i unread messages at the top of the list, with the number %s',
    async (count, text) => {
      fakeServer({ 'GET /api/friends/7': [finch, heron] });
      renderPanel({ unread: { 12: count } });
      await screen.findByRole('heading', { name: 'Friends (2)' });
      expect(getRows()[0]).toHaveTextContent('heron');
      // Only the number is visible. The rest of the badge is for screen readers.
      expect(within(getRows()[0]!).getByText(text)).toHaveTextContent(`${text} unread`);
      expect(within(getRows()[1]!).queryByText(/unread/)).toBeNull();
    },
  );

  it('invites a user without friends to start chatting', async () => {
    fakeServer({ 'GET /api/friends/7': [] });
    renderPanel();
    expect(await screen.findByText('No friends yet. Start chatting to make new friends!')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Friends (0)' })).toBeVisible();
  });

  it('shows each friend as a picture when collapsed, and the rest in the accessible name of its button', async () => {
    fakeServer({ 'GET /api/friends/7': [finch, heron] });
    const { onOpen } = renderPanel({ isCollapsed: true, unread: { 12: 3 } });
    await screen.findByRole('heading', { name: 'Friends (2)' });
    expect(screen.queryByRole('button', { name: 'Remove Friend' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Send Message to heron, Offline 3 unread' }));
    expect(onOpen).toHaveBeenCalledWith(12);
  });
});

describe('the line below a name', () => {
  const withLastMessage = (changes: object) => ({
    lastMessage: {
      senderId: 13,
      preview: 'hello',
      type: 'text',
      createdAt: '2026-11-20T12:00:00.000Z',
      ...changes,
    },
  });

  it.each([
    ['the last message', withLastMessage({}), 'hello'],
    ["the user's own last message after 'You:'", withLastMessage({ senderId: 7 }), 'You: hello'],
    ['a photo', withLastMessage({ preview: '', type: 'image' }), 'Photo'],
    ['that the last message was deleted', withLastMessage({ preview: '' }), 'Message deleted'],
  ])('shows %s, and the presence only to screen readers', async (_, changes, line) => {
    fakeServer({ 'GET /api/friends/7': [{ ...finch, ...changes }] });
    renderPanel();
    await screen.findByRole('heading', { name: 'Friends (1)' });
    expect(getRows()[0]).toHaveTextContent(`finchOnline ${line}`);
    expect(screen.getByText('Online')).toHaveClass('sr-only');
  });

  it('shows that the friend is typing rather than a draft or the last message', async () => {
    fakeServer({ 'GET /api/friends/7': [{ ...finch, ...withLastMessage({}) }] });
    renderPanel({ typing: [13], readDraft: () => 'a draft' });
    await screen.findByRole('heading', { name: 'Friends (1)' });
    expect(getRows()[0]).toHaveTextContent('finchOnline typing…');
  });

  it('shows a draft rather than the last message, also while another chat is open', async () => {
    fakeServer({ 'GET /api/friends/7': [{ ...finch, ...withLastMessage({}) }, heron] });
    renderPanel({ readDraft: (id) => (id === finch.id ? 'I was about to' : ''), openFriendId: heron.id });
    await screen.findByRole('heading', { name: 'Friends (2)' });
    expect(getRows()[0]).toHaveTextContent('finchOnline Draft: I was about to');
  });

  it('shows no draft while its chat is open', async () => {
    fakeServer({ 'GET /api/friends/7': [heron] });
    renderPanel({ readDraft: () => 'I was about to', openFriendId: heron.id });
    await screen.findByRole('heading', { name: 'Friends (1)' });
    expect(getRows()[0]).not.toHaveTextContent('Draft');
    expect(getRows()[0]).toHaveTextContent('heronOffline');
  });
});

it('opens the private chat of the friend whose Send Message is pressed', async () => {
  fakeServer({ 'GET /api/friends/7': [finch, heron] });
  const { onOpen } = renderPanel();
  await screen.findByRole('heading', { name: 'Friends (2)' });
  const send = within(getRows()[1]!).getByRole('button', { name: 'Send Message' });
  expect(send).toHaveAccessibleDescription('heron');
  await userEvent.click(send);
  expect(onOpen).toHaveBeenCalledWith(12);
});

describe('the removal of a friend', () => {
  it('needs no confirmation, shows no toast, and moves the focus to the title', async () => {
    const server = fakeServer({
      'GET /api/friends/7': [finch, heron],
      'DELETE /api/friends/7/13': undefined,
    });
    renderPanel();
    await screen.findByRole('heading', { name: 'Friends (2)' });
    // The response to the reload after the removal.
    server.routes['GET /api/friends/7'] = [heron];
    await userEvent.click(within(getRows()[0]!).getByRole('button', { name: 'Remove Friend' }));
    await screen.findByRole('heading', { name: 'Friends (1)' });
    expect(getRows()).toHaveLength(1);
    expect(screen.getByRole('heading', { name: 'Friends (1)' })).toHaveFocus();
    expect(server.count('DELETE', '/api/friends/7/13')).toBe(1);
    expect(useToasts.getState().shown).toBeNull();
  });

  it('leaves the friend in the list when it fails, and only logs to the console', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    fakeServer({ 'GET /api/friends/7': [finch], 'DELETE /api/friends/7/13': new Refusal(503) });
    renderPanel();
    await screen.findByRole('heading', { name: 'Friends (1)' });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Friend' }));
    await waitFor(() => expect(warn).toHaveBeenCalledWith('The friend was not removed', expect.anything()));
    expect(getRows()).toHaveLength(1);
    expect(screen.queryByRole('alert')).toBeNull();
    warn.mockRestore();
  });
});

describe('loading the friends', () => {
  it('shows an error when it fails, and tries again on a click', async () => {
    const server = fakeServer({ 'GET /api/friends/7': new Refusal(503) });
    renderPanel();
    expect(await screen.findByRole('alert')).toHaveTextContent('Your friends could not be loaded.');
    server.routes['GET /api/friends/7'] = [finch];
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Friends (1)' })).toBeVisible();
  });

  it('uses the cache when the panel is mounted again', async () => {
    const server = fakeServer({ 'GET /api/friends/7': [finch] });
    const { queryClient, unmount } = renderPanel();
    await screen.findByRole('heading', { name: 'Friends (1)' });
    unmount();
    renderPanel({}, queryClient);
    await screen.findByRole('heading', { name: 'Friends (1)' });
    expect(server.count('GET', '/api/friends/7')).toBe(1);
  });

  it('sends a new request when the panel is mounted again after an event has invalidated the list', async () => {
    const server = fakeServer({ 'GET /api/friends/7': [finch] });
    const { queryClient, unmount } = renderPanel();
    await screen.findByRole('heading', { name: 'Friends (1)' });
    unmount();
    server.routes['GET /api/friends/7'] = [finch, heron];
    await queryClient.invalidateQueries({ queryKey: friendsKey(7), refetchType: 'none' });
    renderPanel({}, queryClient);
    await screen.findByRole('heading', { name: 'Friends (2)' });
  });
});
