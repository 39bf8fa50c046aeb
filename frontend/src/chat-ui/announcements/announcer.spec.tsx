import { render } from '@testing-library/react';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { Announcer } from '@/chat-ui/announcements/announcer';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { aMessage, aPartner } from '@/testing/factories';

const partner = aPartner();
const ownId = 7;

// The announcer writes to a log in a closed shadow tree. Only this spy gives access to it: it records attached trees.
const attachShadow = jest.spyOn(Element.prototype, 'attachShadow');
afterEach(() => attachShadow.mockClear());

/** Reads the texts in the log, which is in the first tree that the test has attached. */
const readLog = (): (string | null)[] => {
  const root = attachShadow.mock.results[0]?.value as ShadowRoot | undefined;
  return [...(root?.querySelectorAll('[role="log"] > p') ?? [])].map(({ textContent }) => textContent);
};

/**
 * A message of the partner, unless `changes` names another sender. `n` makes its id, key and text unique. The order of
 * messages is that of the list, and does not depend on `n`.
 */
const createMessage = (n: number, changes: Partial<ChatMessage> = {}): ChatMessage =>
  aMessage({ id: `id-${n}`, key: `m${n}`, content: `message ${n}`, ...changes });

const createMessages = (...numbers: number[]): ChatMessage[] => numbers.map((n) => createMessage(n));

/** The text that announces `createMessage(n)`. */
const announcementOf = (n: number): string => `${partner.username}: message ${n}`;

/** @returns a function that renders the announcer again, with other messages */
const renderAnnouncer = (...messages: ChatMessage[]) => {
  const { rerender } = render(<Announcer messages={messages} partner={partner} isWithStranger={false} />);
  return (...next: ChatMessage[]) =>
    rerender(<Announcer messages={next} partner={partner} isWithStranger={false} />);
};

it('announces each message of a burst in order, and none that was present before', () => {
  const showMessages = renderAnnouncer(createMessage(1));
  expect(readLog()).toEqual([]);
  showMessages(...createMessages(1, 2, 3, 4));
  expect(readLog()).toEqual([2, 3, 4].map(announcementOf));
});

it('does not announce a message again when its reactions change', () => {
  const showMessages = renderAnnouncer(createMessage(1));
  showMessages(...createMessages(1, 2, 3, 4));
  const reactions = { '❤️': { count: 1, users: [ownId] } };
  showMessages(...createMessages(1, 2, 3), createMessage(4, { reactions }));
  expect(readLog()).toEqual([2, 3, 4].map(announcementOf));
});

it('appends new entries and keeps at most five', () => {
  const messages = createMessages(1, 2, 3, 4, 5, 6, 7);
  const showMessages = renderAnnouncer(...messages.slice(0, 1));
  for (const count of [2, 3, 4, 5, 6]) showMessages(...messages.slice(0, count));
  expect(readLog()).toEqual([2, 3, 4, 5, 6].map(announcementOf));
  showMessages(...messages);
  expect(readLog()).toEqual([3, 4, 5, 6, 7].map(announcementOf));
});

it("announces a partner's message that is inserted before the user's own, but never the user's own", () => {
  const createOwnMessage = (delivery: ChatMessage['delivery']) =>
    createMessage(3, { senderId: ownId, delivery });
  const showMessages = renderAnnouncer(createMessage(1), createOwnMessage('sending'));
  showMessages(...createMessages(1, 2), createOwnMessage('sending'));
  expect(readLog()).toEqual([announcementOf(2)]);
  showMessages(...createMessages(1, 2), createOwnMessage('sent'));
  expect(readLog()).toEqual([announcementOf(2)]);
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

it('announces the next message, and no older one again, after a notice at the end was removed', () => {
  const showMessages = renderAnnouncer(...createMessages(1, 2));
  showMessages(
    ...createMessages(1, 2),
    createMessage(3, { senderId: SYSTEM_SENDER_ID, content: 'a notice' }),
  );
  showMessages(...createMessages(1, 2));
  expect(readLog()).toEqual(['a notice']);
  showMessages(...createMessages(1, 2, 4));
  expect(readLog()).toEqual(['a notice', announcementOf(4)]);
});
