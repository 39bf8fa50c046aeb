import { act, render, screen } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { type BubbleProps } from '@/chat-ui/message/bubble';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { useConnection } from '@/lib/socket/connection';
import { signIn, signOut } from '@/product/identity';
import { aPartner, aUser } from '@/testing/factories';

let bubbleRenders = 0;
jest.mock('@/chat-ui/message/bubble', () => ({
  Bubble: ({ children }: BubbleProps) => {
    bubbleRenders += 1;
    return <div>{children}</div>;
  },
}));

const receiveMessage = (seq: number): void =>
  act(() =>
    randomChat.receive({
      event: 'random_message',
      data: {
        sessionId: 's1',
        seq,
        id: `1763640000000-${seq}`, // the form of a message id; its time does not matter here
        senderId: 12,
        content: `message ${seq}`,
        type: 'text',
        timestamp: '2026-11-20T12:00:00.000Z',
        replyTo: null,
      },
    }),
  );

let user: UserEvent;

// Each test starts in a chat in which the partner has sent one group of messages.
beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  signIn(aUser());
  // Accepts every frame and never responds. The tests pass the server's events to `randomChat.receive`.
  randomChat.attachSocket({
    isOpen: true,
    send: () => true,
    request: () => new Promise(() => undefined),
    resync: () => undefined,
  } as RandomChatSocket);
  randomChat.switchUser(); // resets the chat for the user who has just signed in
  useConnection.setState({ status: { kind: 'open' } });
  user = userEvent.setup();
  render(<RandomChat />);
  await user.click(screen.getByRole('button', { name: 'Find Conversation' }));
  act(() =>
    randomChat.receive({
      event: 'chat_matched',
      data: { sessionId: 's1', seq: 1, partnerId: 12, partnerInfo: aPartner() },
    }),
  );
  await screen.findByRole('textbox', { name: 'Message' });
  for (let seq = 2; seq <= 8; seq += 1) receiveMessage(seq);
  bubbleRenders = 0;
});
afterEach(() => {
  act(() => signOut());
});

it('renders no bubble for a keystroke or a typing partner', async () => {
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'no bubble is rendered for this');
  act(() => randomChat.receive({ event: 'typing', data: { sessionId: 's1', userId: 12 } }));
  expect(bubbleRenders).toBe(0);
});

it('renders two bubbles for a message: its own, and the previous one, which no longer ends the group', () => {
  receiveMessage(9);
  expect(bubbleRenders).toBe(2);
});
