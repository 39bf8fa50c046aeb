import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { conversationKey, unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { PrivateChat } from '@/features/private-chat/components/private-chat';
import { type Conversation, type KnownMessage } from '@/features/private-chat/conversation';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { queryClient } from '@/lib/query-client';
import { useConnection } from '@/lib/socket/connection';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';

const me = aUser({ id: 7 });
const friend = { id: 12, username: 'brave-heron-7', avatar: null, isOnline: true, lastMessage: null };
const threeMessages = [1, 2, 3].map((id) => aPrivateMessage({ id }));
const formatMinutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

let socketRequests: { event: string; data: Record<string, unknown> }[];
/** The requests sent by HTTP, each as `METHOD url`. */
let httpRequests: string[];
let isSocketOpen: boolean;

const setConnected = (isConnected: boolean): void =>
  act(() => {
    isSocketOpen = isConnected;
    useConnection.setState({ status: isConnected ? { kind: 'open' } : { kind: 'retrying', attempt: 1 } });
  });

/** Renders the private chat with the friend; `unread` has the numbers of unread messages by friend id. */
const renderChat = (messages: KnownMessage[], unread: UnreadCounts = {}) => {
  queryClient.setQueryData<Conversation>(conversationKey(me.id, friend.id), { messages, hasOlder: false });
  queryClient.setQueryData<UnreadCounts>(unreadCountsKey(me.id), unread);
  const onClose = jest.fn();
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <PrivateChat me={me} friend={friend} onClose={onClose} />
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), onClose, unmount };
};

const getComposerField = (): HTMLElement => screen.getByRole('textbox', { name: 'Message' });
const getMessageRows = (): HTMLElement[] => screen.getAllByRole('listitem');
/** For each message row, whether it contains the divider above the unread messages. */
const listDividers = (): boolean[] =>
  getMessageRows().map((row) => within(row).queryByRole('separator', { name: 'New messages' }) !== null);

beforeEach(() => {
  // The outbox warns about each message that it cannot send without a connection.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  localStorage.clear();
  sessionStorage.clear();
  signIn(me);
  socketRequests = [];
  httpRequests = [];
  globalThis.fetch = ((url: string, { method }: RequestInit) => {
    httpRequests.push(`${method} ${url}`);
    return Promise.resolve({ ok: true, text: () => Promise.resolve('') });
  }) as unknown as typeof fetch;
  privateChats.attachSocket({
    get isOpen() {
      return isSocketOpen;
    },
    send: () => isSocketOpen,
    request: (event: string, data: Record<string, unknown>) => {
      socketRequests.push({ event, data });
      // The server never responds.
      return new Promise(() => undefined);
    },
  } as unknown as FeatureSocket);
  // Loads the drafts and the outbox of the user who has just signed in.
  privateChats.switchUser();
  isSocketOpen = true;
  useConnection.setState({ status: { kind: 'open' } });
});
afterEach(() => {
  act(() => {
    signOut();
    privateChats.switchUser();
  });
  queryClient.clear();
  jest.restoreAllMocks();
});

it('shows a time stamp above the first message and above those after a gap of more than five minutes', () => {
  renderChat([
    aPrivateMessage({ id: 1, createdAt: formatMinutesAgo(60) }),
    aPrivateMessage({ id: 2, createdAt: formatMinutesAgo(58) }),
    aPrivateMessage({ id: 3, createdAt: formatMinutesAgo(52) }),
  ]);
  expect(getMessageRows().map((row) => row.querySelectorAll('time').length)).toEqual([1, 0, 1]);
});

it('marks the messages as read when it opens, and shows a divider above those that were unread', () => {
  renderChat(threeMessages, { [friend.id]: 2 });
  expect(listDividers()).toEqual([false, true, false]);
  expect(httpRequests).toEqual([`PUT /api/private-messages/read/${friend.id}/${me.id}`]);
  expect(queryClient.getQueryData(unreadCountsKey(me.id))).toEqual({});
});

it('keeps the unread divider in its place when a message arrives, and marks the message as read', async () => {
  renderChat(threeMessages, { [friend.id]: 2 });
  act(() =>
    privateChats.receive({
      event: 'private_message',
      data: aPrivateMessage({ id: 4, content: 'the fourth' }),
    }),
  );
  expect(
    await within(screen.getByRole('region', { name: 'Messages' })).findByText('the fourth'),
  ).toBeVisible();
  expect(listDividers()).toEqual([false, true, false, false]);
  // The message counts as unread until the chat, which is open in a visible tab, marks it as read.
  await waitFor(() => expect(queryClient.getQueryData(unreadCountsKey(me.id))).toEqual({}));
});

it("shows 'Message deleted' for a deleted message, and '(edited)' after an edited one", () => {
  renderChat([
    aPrivateMessage({ id: 1, content: '', isDeleted: true }),
    aPrivateMessage({ id: 2, content: 'better', isEdited: true }),
  ]);
  expect(getMessageRows()[0]).toHaveTextContent('Message deleted');
  expect(getMessageRows()[1]).toHaveTextContent('better(edited)');
});

it('sends a message with Enter, and shows it as being sent', async () => {
  const { user } = renderChat([aPrivateMessage({ id: 1 })]);
  await user.type(getComposerField(), 'hello{Enter}');
  expect(socketRequests[0]).toMatchObject({
    event: 'send_private_message',
    data: { senderId: 7, receiverId: 12, content: 'hello', messageType: 'text' },
  });
  expect(getMessageRows().at(-1)).toHaveTextContent(/hello.*Sending/);
});

it('keeps the text and shows a notice while there is no connection', async () => {
  const { user } = renderChat([aPrivateMessage({ id: 1 })]);
  setConnected(false);
  await user.type(getComposerField(), 'later{Enter}');
  expect(screen.getByText('Not sent: reconnecting')).toBeVisible();
  expect(getComposerField()).toHaveValue('later');
  expect(getMessageRows()).toHaveLength(1);
  setConnected(true);
  expect(screen.queryByText('Not sent: reconnecting')).not.toBeInTheDocument();
});

it('offers 24 emojis in the emoji picker', async () => {
  const { user } = renderChat([aPrivateMessage({ id: 1 })]);
  await user.click(screen.getByRole('button', { name: 'Emoji' }));
  const picker = screen.getByRole('dialog', { name: 'Choose an emoji' });
  expect(within(picker).getAllByRole('button')).toHaveLength(24);
});

it('keeps an unsent draft until the chat is opened again', async () => {
  const firstChat = renderChat([aPrivateMessage({ id: 1 })]);
  await firstChat.user.type(getComposerField(), 'half a thought');
  firstChat.unmount();
  renderChat([aPrivateMessage({ id: 1 })]);
  expect(getComposerField()).toHaveValue('half a thought');
});

it('closes with its button', async () => {
  const { user, onClose } = renderChat([aPrivateMessage({ id: 1 })]);
  await user.click(screen.getByRole('button', { name: 'Close private chat' }));
  expect(onClose).toHaveBeenCalledTimes(1);
});

it('closes with Esc', async () => {
  const { user, onClose } = renderChat([aPrivateMessage({ id: 1 })]);
  await user.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledTimes(1);
});

it('closes when the friendship ends', () => {
  const { onClose } = renderChat([aPrivateMessage({ id: 1 })]);
  act(() =>
    privateChats.receive({
      event: 'friendship_removed',
      data: { removedFriendId: me.id, removedBy: friend.id },
    }),
  );
  expect(onClose).toHaveBeenCalledTimes(1);
});
