import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { conversationKey, unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { type Conversation } from '@/features/private-chat/conversation';
import { RowCache } from '@/features/private-chat/rows';
import { createMessageChanges } from '@/features/private-chat/stores/message-changes';
import { createPrivateChats } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { createQueryClient } from '@/lib/query-client';
import { aPrivateMessage } from '@/testing/factories';
import { FakeClock } from '@/testing/fake-clock';
import { FakeFeatureSocket } from '@/testing/fake-feature-socket';

/** Id of the user. Tests sign in as this user before they open the page. */
export const me = 7;
/** Id of the friend. */
export const friend = 12;
/** For acks of sent messages: the time at which the server stored the message. */
export const storedAt = '2026-11-20T12:00:00.000Z';

/**
 * Creates the stores of the private chats as a new page does, with a connected socket. The chat with the friend has one
 * message, from the friend; nothing is unread.
 */
export const openPrivateChatPage = () => {
  const clock = new FakeClock();
  const socket = new FakeFeatureSocket();
  const queryClient = createQueryClient();
  let idCount = 0;
  const newId = (): string => `c${(idCount += 1)}`;
  const chat = createPrivateChats({ clock, newId, queryClient });
  const changes = createMessageChanges(chat, { clock, newId });
  chat.attachSocket(socket);
  chat.switchUser(); // to the user who is signed in
  queryClient.setQueryData<Conversation>(conversationKey(me, friend), {
    messages: [aPrivateMessage({ id: 1 })],
    hasOlder: false,
  });
  queryClient.setQueryData<UnreadCounts>(unreadCountsKey(me), {});
  const listMessages = () => chat.conversations.getLoaded(me, friend)?.messages ?? [];
  return {
    chat,
    changes,
    clock,
    socket,
    /** Frames that were sent without waiting for a response. */
    sent: socket.sent,
    /** Commands that wait for a response. */
    commands: socket.commands,
    queryClient,
    receive: <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
      chat.receive({ event, data } as ServerFrame),
    listMessages,
    submitMessage: (text: string): boolean =>
      chat.outbox.submit(String(friend), { text, attachment: null, replyTo: null }),
    listOutgoing: () => chat.outbox.useStore.getState().messages,
    listRows: () => new RowCache().toRows(listMessages(), changes.useStore.getState()),
    listUnsavedEdits: () => chat.outbox.useStore.getState().unsavedEdits,
    getNoticeKind: () => chat.outbox.useStore.getState().notice?.kind,
    getTyping: () => chat.useStore.getState().typing,
    getUnreadCounts: () => queryClient.getQueryData<UnreadCounts>(unreadCountsKey(me)),
  };
};
