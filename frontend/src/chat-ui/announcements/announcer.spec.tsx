import { render } from '@testing-library/react';
import { Announcer } from '@/chat-ui/announcements/announcer';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { aMessage, aPartner } from '@/testing/factories';

const partner = aPartner();
let log: () => (string | null)[];

beforeEach(() => {
  const attachShadow = jest.spyOn(Element.prototype, 'attachShadow');
  log = () => {
    const [root] = attachShadow.mock.results.map(({ value }) => value as ShadowRoot);
    return [...(root?.querySelectorAll('[role="log"] > p') ?? [])].map(({ textContent }) => textContent);
  };
});
afterEach(() => jest.restoreAllMocks());

const createPartnerMessage = (n: number, changes: Partial<ChatMessage> = {}): ChatMessage =>
  aMessage({ id: `1763640000000-${n}`, key: `m${n}`, content: `message ${n}`, ...changes });

const renderAnnouncer = (...messages: ChatMessage[]) => {
  const { rerender } = render(<Announcer messages={messages} partner={partner} hidesContacts={false} />);
  return (...next: ChatMessage[]) =>
    rerender(<Announcer messages={next} partner={partner} hidesContacts={false} />);
};

it('announces each message of a burst once and in order, and none that was present before', () => {
  const showMessages = renderAnnouncer(createPartnerMessage(1));
  expect(log()).toEqual([]);
  showMessages(
    createPartnerMessage(1),
    createPartnerMessage(2),
    createPartnerMessage(3),
    createPartnerMessage(4),
  );
  const burst = ['brave-heron-7: message 2', 'brave-heron-7: message 3', 'brave-heron-7: message 4'];
  expect(log()).toEqual(burst);
  showMessages(
    createPartnerMessage(1),
    createPartnerMessage(2),
    createPartnerMessage(3),
    createPartnerMessage(4, { reactions: {} }),
  );
  expect(log()).toEqual(burst);
});

it('appends new entries and keeps at most five', () => {
  const showMessages = renderAnnouncer(createPartnerMessage(1));
  showMessages(createPartnerMessage(1), createPartnerMessage(2));
  const [first] = [...log()];
  for (let n = 3; n <= 6; n += 1)
    showMessages(...Array.from({ length: n }, (_, index) => createPartnerMessage(index + 1)));
  expect(log()).toHaveLength(5);
  expect(log()[0]).toBe(first);
  showMessages(...Array.from({ length: 7 }, (_, index) => createPartnerMessage(index + 1)));
  expect(log().map((text) => text?.at(-1))).toEqual(['3', '4', '5', '6', '7']);
});

it("announces none of the user's own messages and still announces the last one of the partner", () => {
  const createOwnMessage = (delivery: ChatMessage['delivery']) =>
    createPartnerMessage(9, { senderId: 7, key: 'mine', delivery });
  const showMessages = renderAnnouncer(createPartnerMessage(1), createOwnMessage('sending'));
  // The partner's message is inserted before the user's own unsent one.
  showMessages(createPartnerMessage(1), createPartnerMessage(2), createOwnMessage('sending'));
  expect(log()).toEqual(['brave-heron-7: message 2']);
  showMessages(createPartnerMessage(1), createPartnerMessage(2), createOwnMessage('sent'));
  expect(log()).toEqual(['brave-heron-7: message 2']);
});

it('announces a picture as a photo, and a notice by its text', () => {
  const showMessages = renderAnnouncer(createPartnerMessage(1));
  showMessages(
    createPartnerMessage(1),
    createPartnerMessage(2, { type: 'image', content: '/api/files/chat-images/a.webp' }),
    createPartnerMessage(3, { senderId: 0, content: 'Waiting response from your chat partner...' }),
  );
  expect(log()).toEqual(['brave-heron-7: Photo', 'Waiting response from your chat partner...']);
});

it('announces no older messages that are loaded above', () => {
  const showMessages = renderAnnouncer(createPartnerMessage(5));
  showMessages(createPartnerMessage(1), createPartnerMessage(2), createPartnerMessage(5));
  expect(log()).toEqual([]);
});

it('announces nothing again when the newest row is removed', () => {
  const showMessages = renderAnnouncer(createPartnerMessage(1), createPartnerMessage(2));
  showMessages(
    createPartnerMessage(1),
    createPartnerMessage(2),
    createPartnerMessage(3, { senderId: 0, content: 'a notice' }),
  );
  showMessages(createPartnerMessage(1), createPartnerMessage(2));
  expect(log()).toEqual(['a notice']);
  showMessages(createPartnerMessage(1), createPartnerMessage(2), createPartnerMessage(4));
  expect(log()).toEqual(['a notice', 'brave-heron-7: message 4']);
});
