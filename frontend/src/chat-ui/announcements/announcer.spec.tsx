import { render } from '@testing-library/react';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { Announcer } from '@/chat-ui/announcements/announcer';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { aMessage, aPartner } from '@/testing/factories';

const partner = aPartner();
const ownId = 7;
/** The texts in the log. It is in a closed shadow tree, so it is found through the call that created the tree. */
let readLog: () => (string | null)[];

beforeEach(() => {
  const attachShadow = jest.spyOn(Element.prototype, 'attachShadow');
  readLog = () => {
    const [root] = attachShadow.mock.results.map(({ value }) => value as ShadowRoot);
    return [...(root?.querySelectorAll('[role="log"] > p') ?? [])].map(({ textContent }) => textContent);
  };
});
afterEach(() => jest.restoreAllMocks());

/** A message of the partner, unless `changes` names another sender. */
const createMessage = (n: number, changes: Partial<ChatMessage> = {}): ChatMessage =>
  aMessage({ id: `1763640000000-${n}`, key: `m${n}`, content: `message ${n}`, ...changes });

const createMessages = (...numbers: number[]): ChatMessage[] => numbers.map((n) => createMessage(n));

const createAnnouncement = (n: number): string => `${partner.username}: message ${n}`;

/** @returns a function that renders the announcer again, with other messages */
const renderAnnouncer = (...messages: ChatMessage[]) => {
  const { rerender } = render(<Announcer messages={messages} partner={partner} isWithStranger={false} />);
  return (...next: ChatMessage[]) =>
    rerender(<Announcer messages={next} partner={partner} isWithStranger={false} />);
};

it('announces each message of a burst once and in order, and none that was present before', () => {
  const showMessages = renderAnnouncer(createMessage(1));
  expect(readLog()).toEqual([]);
  showMessages(...createMessages(1, 2, 3, 4));
  const burst = [createAnnouncement(2), createAnnouncement(3), createAnnouncement(4)];
  expect(readLog()).toEqual(burst);
  // A changed message is not announced again.
  const reactions = { '❤️': { count: 1, users: [ownId] } };
  showMessages(...createMessages(1, 2, 3), createMessage(4, { reactions }));
  expect(readLog()).toEqual(burst);
});

it('appends new entries and keeps at most five', () => {
  const showMessages = renderAnnouncer(createMessage(1));
  for (const count of [2, 3, 4, 5, 6])
    showMessages(...Array.from({ length: count }, (_, index) => createMessage(index + 1)));
  expect(readLog()).toEqual([2, 3, 4, 5, 6].map(createAnnouncement));
  showMessages(...createMessages(1, 2, 3, 4, 5, 6, 7));
  expect(readLog()).toEqual([3, 4, 5, 6, 7].map(createAnnouncement));
});

it("announces no own message, but a partner's message that is inserted before an own one", () => {
  const createOwnMessage = (delivery: ChatMessage['delivery']) =>
    createMessage(9, { senderId: ownId, key: 'mine', delivery });
  const showMessages = renderAnnouncer(createMessage(1), createOwnMessage('sending'));
  showMessages(...createMessages(1, 2), createOwnMessage('sending'));
  expect(readLog()).toEqual([createAnnouncement(2)]);
  showMessages(...createMessages(1, 2), createOwnMessage('sent'));
  expect(readLog()).toEqual([createAnnouncement(2)]);
});

it('announces an image as "Photo", and a notice by its text', () => {
  const showMessages = renderAnnouncer(createMessage(1));
  showMessages(
    createMessage(1),
    createMessage(2, { type: 'image', content: '/api/files/chat-images/a.webp' }),
    createMessage(3, { senderId: SYSTEM_SENDER_ID, content: 'Waiting response from your chat partner...' }),
  );
  expect(readLog()).toEqual([`${partner.username}: Photo`, 'Waiting response from your chat partner...']);
});

it('announces no older messages that are loaded above', () => {
  const showMessages = renderAnnouncer(createMessage(5));
  showMessages(...createMessages(1, 2, 5));
  expect(readLog()).toEqual([]);
});

it('announces no older row again after the newest row is removed, but still the next new message', () => {
  const showMessages = renderAnnouncer(...createMessages(1, 2));
  showMessages(
    ...createMessages(1, 2),
    createMessage(3, { senderId: SYSTEM_SENDER_ID, content: 'a notice' }),
  );
  showMessages(...createMessages(1, 2));
  expect(readLog()).toEqual(['a notice']);
  showMessages(...createMessages(1, 2, 4));
  expect(readLog()).toEqual(['a notice', createAnnouncement(4)]);
});
