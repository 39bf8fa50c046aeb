import { createOpenChatReminder } from '@/app/open-chat-reminder';
import { type RandomChatStore } from '@/features/random-chat/stores/random-chat.store';
import { useOpenChat } from '@/product/open-chat';
import { aMessage, aPartner } from '@/testing/factories';

const partner = aPartner();

afterEach(() => useOpenChat.setState({ chat: null }));

/** A chat that is still open, with this number of messages from the partner. */
const createState = (messageCount: number, { isResyncing = false } = {}): RandomChatStore => {
  const messages = Array.from({ length: messageCount }, () => aMessage({ senderId: partner.id }));
  return {
    phase: 'active',
    session: { sessionId: 'a', partner, messages, isResyncing },
  } as unknown as RandomChatStore;
};

const getUnread = (): number | undefined => useOpenChat.getState().chat?.unread;

it('counts messages that arrive after the page load, not those of the resumed chat', () => {
  const isChatShown = (): boolean => false;
  const onChatChange = createOpenChatReminder(isChatShown);
  // The resync after the page load delivers two messages and ends with the third.
  onChatChange(createState(2, { isResyncing: true }));
  onChatChange(createState(3));
  expect(getUnread()).toBe(0);
  onChatChange(createState(5));
  expect(getUnread()).toBe(2);
});

it('keeps and extends the count when the chat is resumed after a lost connection', () => {
  const isChatShown = (): boolean => false;
  const onChatChange = createOpenChatReminder(isChatShown);
  onChatChange(createState(1));
  onChatChange(createState(2));
  // The messages that a later resync delivers are counted.
  onChatChange(createState(2, { isResyncing: true }));
  expect(getUnread()).toBe(1);
  onChatChange(createState(4, { isResyncing: true }));
  onChatChange(createState(5));
  expect(getUnread()).toBe(4);
});

it('counts no messages that arrive while the page shows the chat', () => {
  let isChatShown = true;
  const onChatChange = createOpenChatReminder(() => isChatShown);
  onChatChange(createState(0));
  onChatChange(createState(3));
  isChatShown = false;
  onChatChange(createState(4));
  expect(getUnread()).toBe(1);
  isChatShown = true;
  onChatChange(createState(5));
  expect(getUnread()).toBe(0);
});
