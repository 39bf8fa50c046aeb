import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ChatHistoryModal } from '@/features/history/components/chat-history-modal';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const formatTimestampAgo = (ms: number): string => new Date(Date.now() - ms).toISOString();
const hour = 60 * 60_000;
const day = 24 * hour;

/** Renders the modal; each button shows the data that its row passes to the actions. */
const renderModal = () =>
  renderWithCache(
    <ChatHistoryModal
      userId={7}
      onDismiss={jest.fn()}
      renderActions={({ id, username, nameId, allowsFriendRequest, isReportable, isUnknown, historyId }) => (
        <button type="button" aria-describedby={nameId}>
          {allowsFriendRequest ? 'Add' : 'More about'} {username} {id}
          {isUnknown ? ', unknown' : ''}
          {isReportable ? `, chat ${historyId} reportable` : ''}
        </button>
      )}
    />,
  );

it('lists the partners with the age of each chat, newest first', async () => {
  fakeServer({
    'GET /api/chat-history/7': [
      { id: 1, user1Id: 7, user2Id: 12, createdAt: formatTimestampAgo(2 * day + hour) },
      { id: 3, user1Id: 7, user2Id: 13, createdAt: formatTimestampAgo(1_000) },
      { id: 2, user1Id: 12, user2Id: 7, createdAt: formatTimestampAgo(hour) },
    ],
    'GET /api/user/12': { id: 12, username: 'heron', avatar: null, isOnline: true },
  });
  renderModal();
  const rows = await screen.findAllByRole('listitem');
  expect(await within(rows[0]!).findByText('Unknown User')).toBeVisible();
  await within(rows[2]!).findByText('heron');
  expect(rows.map((row) => row.querySelector('time')?.textContent)).toEqual([
    'A few minutes ago',
    '1 hour ago',
    '2 days ago',
  ]);
  expect(rows[1]).toHaveTextContent('heron');
  expect(within(rows[1]!).getByRole('button', { name: /^Add heron 12/ })).toHaveAccessibleDescription(
    'heron',
  );
});

it('passes to the actions whether the partner is unknown, and whether a request or a report is allowed', async () => {
  // Ended for safety, so without friend requests. `reportableUntil` is null until the server knows the time of the end.
  const endedForSafety = {
    createdAt: formatTimestampAgo(500),
    reportableUntil: null,
    mayBecomeFriends: false,
  };
  fakeServer({
    'GET /api/chat-history/7': [
      { id: 3, user1Id: 12, user2Id: 7, ...endedForSafety },
      { id: 2, user1Id: 7, user2Id: 13, createdAt: formatTimestampAgo(1_000), reportableUntil: null },
      {
        id: 1,
        user1Id: 7,
        user2Id: 12,
        // Friend requests are allowed within 30 days of a chat.
        createdAt: formatTimestampAgo(31 * day),
        reportableUntil: formatTimestampAgo(1_000),
      },
    ],
    'GET /api/user/12': { id: 12, username: 'heron', avatar: null, isOnline: true },
  });
  renderModal();
  await screen.findAllByText('heron');
  await screen.findByText('Unknown User');
  const actions = within(screen.getByRole('list')).getAllByRole('button');
  expect(actions.map(({ textContent }) => textContent)).toEqual([
    'More about heron 12, chat 3 reportable',
    'Add Unknown User 13, unknown, chat 2 reportable',
    'More about heron 12',
  ]);
});

it('loads each profile once', async () => {
  const server = fakeServer({
    'GET /api/chat-history/7': [1, 2, 3].map((id) => ({
      id,
      user1Id: 7,
      user2Id: 12,
      createdAt: formatTimestampAgo(id * hour),
    })),
    'GET /api/user/12': { id: 12, username: 'heron', avatar: null, isOnline: true },
  });
  renderModal();
  expect(await screen.findAllByText('heron')).toHaveLength(3);
  expect(server.count('GET', '/api/user/12')).toBe(1);
});

it('shows an error, and after a successful retry that the history is empty', async () => {
  const server = fakeServer({ 'GET /api/chat-history/7': new Refusal(503) });
  renderModal();
  expect(await screen.findByRole('alert')).toHaveTextContent('Your chats could not be loaded.');
  server.routes['GET /api/chat-history/7'] = [];
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No chat history yet')).toBeVisible();
});
