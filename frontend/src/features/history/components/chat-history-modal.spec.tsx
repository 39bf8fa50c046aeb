import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ChatHistoryModal } from '@/features/history/components/chat-history-modal';
import { type HistoryPartner } from '@/features/history/history-partner';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const formatTimestampAgo = (ms: number): string => new Date(Date.now() - ms).toISOString();
const hour = 60 * 60_000;
const day = 24 * hour;
const heronProfile = { id: 12, username: 'heron', avatar: null, isOnline: true };

const ActionsButton = ({ nameId }: { nameId: string }) => (
  <button type="button" aria-describedby={nameId}>
    Actions
  </button>
);

/** Renders the modal. @returns what each row has passed to its actions, by the id of its chat */
const renderModal = (): ReadonlyMap<number, HistoryPartner> => {
  const partnersByChatId = new Map<number, HistoryPartner>();
  renderWithCache(
    <ChatHistoryModal
      userId={7}
      onDismiss={jest.fn()}
      renderActions={(partner) => {
        partnersByChatId.set(partner.historyId, partner);
        return <ActionsButton nameId={partner.nameId} />;
      }}
    />,
  );
  return partnersByChatId;
};

it('lists the partners with the age of each chat, newest first', async () => {
  fakeServer({
    'GET /api/chat-history/7': [
      { id: 1, user1Id: 7, user2Id: 12, createdAt: formatTimestampAgo(2 * day + hour) },
      { id: 3, user1Id: 7, user2Id: 13, createdAt: formatTimestampAgo(1_000) },
      { id: 2, user1Id: 12, user2Id: 7, createdAt: formatTimestampAgo(hour) },
    ],
    // User 13 has no profile.
    'GET /api/user/12': heronProfile,
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
});

it('renders the actions of each partner, described by the name of the partner', async () => {
  fakeServer({
    'GET /api/chat-history/7': [
      { id: 2, user1Id: 12, user2Id: 7, createdAt: formatTimestampAgo(1_000), reportableUntil: null },
      { id: 1, user1Id: 7, user2Id: 13, createdAt: formatTimestampAgo(hour), reportableUntil: null },
    ],
    'GET /api/user/12': heronProfile,
  });
  const partnersByChatId = renderModal();
  await screen.findByText('heron');
  await screen.findByText('Unknown User');
  expect(partnersByChatId.get(2)).toMatchObject({ id: 12, username: 'heron', isUnknown: false });
  expect(partnersByChatId.get(1)).toMatchObject({ id: 13, username: 'Unknown User', isUnknown: true });
  const [actionsOnHeron, actionsOnUnknown] = screen.getAllByRole('button', { name: 'Actions' });
  expect(actionsOnHeron).toHaveAccessibleDescription('heron');
  expect(actionsOnUnknown).toHaveAccessibleDescription('Unknown User');
});

// `reportableUntil` is null until the server knows when the chat ended. Friend requests are allowed for 30 days.
it.each<[chat: string, fields: object, allowed: Partial<HistoryPartner>]>([
  [
    'a recent chat',
    { createdAt: formatTimestampAgo(1_000), reportableUntil: null },
    { allowsFriendRequest: true, isReportable: true },
  ],
  [
    'a chat that ended for safety',
    { createdAt: formatTimestampAgo(500), reportableUntil: null, mayBecomeFriends: false },
    { allowsFriendRequest: false, isReportable: true },
  ],
  [
    'a chat of 31 days ago',
    { createdAt: formatTimestampAgo(31 * day), reportableUntil: formatTimestampAgo(1_000) },
    { allowsFriendRequest: false, isReportable: false },
  ],
])('passes to the actions whether a request or a report is allowed after %s', async (_, fields, allowed) => {
  fakeServer({
    'GET /api/chat-history/7': [{ id: 1, user1Id: 7, user2Id: 12, ...fields }],
    'GET /api/user/12': heronProfile,
  });
  const partnersByChatId = renderModal();
  await screen.findByText('heron');
  expect(partnersByChatId.get(1)).toMatchObject(allowed);
});

it('loads each profile once', async () => {
  const server = fakeServer({
    'GET /api/chat-history/7': [1, 2, 3].map((id) => ({
      id,
      user1Id: 7,
      user2Id: 12,
      createdAt: formatTimestampAgo(id * hour),
    })),
    'GET /api/user/12': heronProfile,
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
