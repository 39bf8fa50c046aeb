import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { createRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { signIn } from '@/product/identity';
import { aPartner, aUser } from '@/testing/factories';
import { FakeClock } from '@/testing/fake-clock';
import { FakeFeatureSocket } from '@/testing/fake-feature-socket';

/** The server's ack of a stored message. */
export const storedAck = { id: '1763640000000-0', seq: 2, timestamp: '2026-11-20T12:00:00.000Z' };

/** The id of `aPartner`. */
const partnerId = 12;

/** The data of a frame that restores a chat without messages. */
export const resumedSession: ServerData<'session_resumed'> = {
  sessionId: 's1',
  seq: 1,
  partnerId,
  partnerInfo: aPartner(),
  partnerConnection: 'connected',
  events: [],
  last: true,
};

/**
 * Creates the store of the random chat as on a new page, signed in and connected. By default the page is in a new tab.
 * `isReload` keeps the sessionStorage of an earlier page, with its unsent messages and its draft.
 */
export const openRandomChatPage = ({ isReload = false } = {}) => {
  localStorage.clear();
  if (!isReload) sessionStorage.clear();
  signIn(aUser());
  const clock = new FakeClock();
  const socket = new FakeFeatureSocket();
  let idCount = 0;
  const chatTabs = {
    /** The result of `isOpenElsewhere`, which a test may change; undefined in a browser without Web Locks. */
    isOpenElsewhereResult: false as boolean | undefined,
    enter: jest.fn(),
    leave: jest.fn(),
    isOpenElsewhere: async () => chatTabs.isOpenElsewhereResult,
  };
  const chat = createRandomChat({ clock, newId: () => `c${(idCount += 1)}`, chatTabs });
  chat.attachSocket(socket);
  chat.switchUser(); // the app calls it when the signed-in user has changed
  chat.show();
  const receive = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
    chat.receive({ event, data } as ServerFrame);
  return {
    chat,
    chatTabs,
    clock,
    socket,
    /** Sent frames that need no response. */
    sent: socket.sent,
    /** Sent frames that need a response, which the test gives as the server. */
    commands: socket.commands,
    receive,
    /** Starts a search and matches the user with `aPartner`. */
    matchPartner: (sessionId = 's1'): void => {
      chat.startSearch();
      receive('chat_matched', { sessionId, seq: 1, partnerId, partnerInfo: aPartner() });
    },
    submitMessage: (content: string, sessionId = 's1'): boolean =>
      chat.outbox.submit(sessionId, { text: content, attachment: null, replyTo: null }),
    getState: () => chat.useStore.getState(),
    listOutgoing: () => chat.outbox.useStore.getState().messages,
  };
};

export type RandomChatPage = ReturnType<typeof openRandomChatPage>;
