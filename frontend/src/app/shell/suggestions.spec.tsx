import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { PrivateChatSuggestions, RandomChatSuggestions } from '@/app/shell/suggestions';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { useSuggestions } from '@/features/suggestions/stores/suggestions.store';
import { pageLimits } from '@/lib/page-limits';
import { useConnection } from '@/lib/socket/connection';
import { signIn, signOut } from '@/product/identity';
import { aPartner, aUser } from '@/testing/factories';

const receive = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
  act(() => randomChat.receive({ event, data } as ServerFrame));

const receivePartnerMessage = (content: string, seq: number): void =>
  receive('random_message', {
    sessionId: 's1',
    seq,
    id: `1763640000000-${seq}`,
    senderId: 12,
    content,
    type: 'text',
    timestamp: '2026-11-20T12:00:00.000Z',
    replyTo: null,
  });

const loseConnection = (): void =>
  act(() => useConnection.setState({ status: { kind: 'retrying', attempt: 1 } }));
const restoreConnection = (): void => act(() => useConnection.setState({ status: { kind: 'open' } }));

const wellPastDelayMs = 2 * pageLimits.suggestionsAfterMs;
const advanceTime = (ms: number): void => act(() => jest.advanceTimersByTime(ms));
const querySuggestionRow = (): HTMLElement | null => screen.queryByRole('group', { name: 'Suggestions' });
/** The suggestions that the row shows. Its other buttons have an icon instead of a text. */
const listSuggestions = (): string[] =>
  within(screen.getByRole('group', { name: 'Suggestions' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent ?? '')
    .filter((text) => text !== '');
const getField = (): HTMLElement => screen.getByRole('textbox', { name: 'Message' });
const typeIntoField = (value: string): void => void fireEvent.change(getField(), { target: { value } });
const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }));

let sentEvents: string[];

// Each test starts in a random chat in which the partner has just written.
beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  signIn(aUser());
  sentEvents = [];
  randomChat.attachSocket({
    isOpen: true,
    send: (event: string) => {
      sentEvents.push(event);
      return true;
    },
    request: (event: string) => {
      sentEvents.push(event);
      // The server does not respond.
      return new Promise(() => undefined);
    },
    resync: () => undefined,
  } as unknown as RandomChatSocket);
  randomChat.switchUser(); // resets the store
  useSuggestions.setState({ requestedIn: null, hiddenIn: null, usedIn: {}, modelIdeas: null });
  useConnection.setState({ status: { kind: 'open' } });
  render(<RandomChat renderIdeas={(place) => <RandomChatSuggestions {...place} />} />);
  press('Find Conversation');
  receive('chat_matched', { sessionId: 's1', seq: 1, partnerId: 12, partnerInfo: aPartner() });
  await screen.findByRole('heading', { name: aPartner().username });
  // Only now, because `findByRole` waits with real timers.
  jest.useFakeTimers();
  // A message restarts the delay until suggestions appear. From this message on, the delay runs on the fake clock.
  receivePartnerMessage('I made pasta', 2);
});
afterEach(() => {
  jest.useRealTimers();
  act(() => signOut());
});

it('shows three suggestions after 20 seconds without a message, and hides them when a message arrives', () => {
  advanceTime(pageLimits.suggestionsAfterMs - 1);
  expect(querySuggestionRow()).toBeNull();
  advanceTime(1);
  expect(listSuggestions()).toHaveLength(3);
  receivePartnerMessage('with mushrooms', 3);
  expect(querySuggestionRow()).toBeNull();
  advanceTime(pageLimits.suggestionsAfterMs - 1);
  expect(querySuggestionRow()).toBeNull();
  advanceTime(1);
  expect(listSuggestions()).toHaveLength(3);
});

it('hides the suggestions while the field has text', () => {
  typeIntoField('hm');
  advanceTime(pageLimits.suggestionsAfterMs);
  expect(querySuggestionRow()).toBeNull();
  typeIntoField('');
  expect(querySuggestionRow()).not.toBeNull();
});

it.each([
  [
    'the partner types',
    () => receive('typing', { sessionId: 's1', userId: 12 }),
    () => advanceTime(pageLimits.typingShownMs),
  ],
  [
    'the partner reconnects',
    () => receive('partner_connection', { sessionId: 's1', state: 'reconnecting' }),
    () => receive('partner_connection', { sessionId: 's1', state: 'connected' }),
  ],
  ['the socket is closed', loseConnection, restoreConnection],
])('hides the suggestions while %s', (_condition, begin, end) => {
  advanceTime(pageLimits.suggestionsAfterMs);
  expect(querySuggestionRow()).not.toBeNull();
  begin();
  expect(querySuggestionRow()).toBeNull();
  end();
  expect(querySuggestionRow()).not.toBeNull();
});

it('shows no suggestions during a game', () => {
  const [question] = questions as [Question];
  // The partner starts Break the Ice.
  receive('break_ice_question_received', {
    sessionId: 's1',
    seq: 3,
    gameId: 'g1',
    question,
    initiatorId: 12,
  });
  advanceTime(wellPastDelayMs);
  expect(querySuggestionRow()).toBeNull();
});

it('shows suggestions immediately on request', () => {
  press('Suggest something');
  expect(listSuggestions()).toHaveLength(3);
});

it('shows different suggestions after Other ideas', () => {
  press('Suggest something');
  const first = listSuggestions();
  press('Other ideas');
  expect(listSuggestions()).toHaveLength(3);
  expect(listSuggestions().some((text) => first.includes(text))).toBe(false);
});

it('offers the first suggestions again when Other ideas has shown all of them', () => {
  press('Suggest something');
  // More rounds than there are suggestions.
  for (let round = 0; round < 60; round += 1) press('Other ideas');
  expect(listSuggestions()).toHaveLength(3);
});

it('keeps the requested suggestions while the partner writes', () => {
  press('Suggest something');
  const before = listSuggestions();
  receivePartnerMessage('are you there?', 3);
  expect(listSuggestions()).toEqual(before);
});

it('puts a suggestion into the composer, sends nothing, and shows no further suggestions', () => {
  press('Suggest something');
  const [text = ''] = listSuggestions();
  sentEvents.length = 0;
  press(text);
  expect(getField()).toHaveValue(text);
  expect(getField()).toHaveFocus();
  // The insertion counts as typing, but no message is sent.
  expect(sentEvents.filter((event) => event !== 'typing')).toEqual([]);
  expect(querySuggestionRow()).toBeNull();
  expect(screen.queryByRole('button', { name: 'Suggest something' })).toBeNull();
});

it('does not offer a suggestion again that was put into the composer', () => {
  press('Suggest something');
  const [text = ''] = listSuggestions();
  press(text);
  typeIntoField('');
  expect(querySuggestionRow()).toBeNull();
  press('Suggest something');
  expect(listSuggestions()).not.toContain(text);
});

it('does not offer a question that the partner has already asked', () => {
  press('Suggest something');
  const [text = ''] = listSuggestions();
  press('Hide');
  receivePartnerMessage(text, 3);
  press('Suggest something');
  expect(listSuggestions()).not.toContain(text);
});

it('after Hide, shows suggestions in this chat and tab only on request', () => {
  advanceTime(pageLimits.suggestionsAfterMs);
  press('Hide');
  expect(querySuggestionRow()).toBeNull();
  receivePartnerMessage('and now?', 3);
  advanceTime(wellPastDelayMs);
  expect(querySuggestionRow()).toBeNull();
  press('Suggest something');
  expect(querySuggestionRow()).not.toBeNull();
  press('Hide');
  expect(sessionStorage.getItem('thaw-suggestions-hidden')).toBe('s1');
});

it('keeps suggestions hidden in the random chat after they are hidden in a private chat, too', () => {
  press('Suggest something');
  press('Hide');
  // The form only serves to find the buttons of the private chat beside those of the random chat.
  const { unmount } = render(
    <form aria-label="private">
      <PrivateChatSuggestions
        hasRoomForIdeas
        insert={jest.fn()}
        buttonClass=""
        conversationId="12"
        messages={[]}
      />
    </form>,
  );
  const inPrivateChat = within(screen.getByRole('form', { name: 'private' }));
  expect(inPrivateChat.queryByRole('group')).toBeNull();
  fireEvent.click(inPrivateChat.getByRole('button', { name: 'Suggest something' }));
  fireEvent.click(inPrivateChat.getByRole('button', { name: 'Hide' }));
  expect(inPrivateChat.queryByRole('group')).toBeNull();
  unmount();
  advanceTime(wellPastDelayMs);
  expect(querySuggestionRow()).toBeNull();
});

it('moves the focus to the Suggest button when the row of suggestions disappears while focused', () => {
  advanceTime(pageLimits.suggestionsAfterMs);
  const [text = ''] = listSuggestions();
  act(() => screen.getByRole('button', { name: text }).focus());
  receive('typing', { sessionId: 's1', userId: 12 });
  expect(screen.getByRole('button', { name: 'Suggest something' })).toHaveFocus();
});
