import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReplyTo } from '@thaw/contract/random-chat';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { useInsultGuard } from '@/chat-ui/insults/insult-guard';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { useRevealedPicture } from '@/features/random-chat/stores/revealed-picture';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { useConnection } from '@/lib/socket/connection';
import { signIn, signOut } from '@/product/identity';
import { setBlurringPictures, setHidingInsults } from '@/product/stranger-settings';
import { aPartner, aUser } from '@/testing/factories';

const receive = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
  act(() => randomChat.receive({ event, data } as ServerFrame));
const partnerId = 12;
/** Receives the n-th message of the partner, which has the `seq` n + 1, because the match has `seq` 1. */
const receiveMessage = (n: number, content: string, replyTo: ReplyTo | null = null): void =>
  receive('random_message', {
    sessionId: 's1',
    seq: n + 1,
    id: `1763640000000-${n}`,
    senderId: partnerId,
    content,
    type: 'text',
    timestamp: '2026-11-20T12:00:00.000Z',
    replyTo,
  });
const getLastMessageRow = (): HTMLElement =>
  within(screen.getByRole('region', { name: 'Messages' }))
    .getAllByRole('listitem')
    .at(-1)!;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  signIn(aUser());
  useInsultGuard.setState(useInsultGuard.getInitialState());
  useRevealedPicture.setState({ sessionId: null });
  randomChat.attachSocket({
    isOpen: true,
    send: () => true,
    request: () => new Promise(() => undefined),
    resync: () => undefined,
  } as unknown as RandomChatSocket);
  randomChat.switchUser(); // resets the chat for the user who has signed in
  useConnection.setState({ status: { kind: 'open' } });
});
afterEach(() => {
  act(() => signOut());
  jest.restoreAllMocks();
});

/**
 * The announcements for screen readers are in closed shadow trees. Only `attachShadow` returns their roots, when it
 * creates them, so this must be called before the chat is opened.
 * @returns a function that reads the announcements
 */
const spyOnAnnouncements = (): (() => string) => {
  const attachShadow = jest.spyOn(Element.prototype, 'attachShadow');
  return () => attachShadow.mock.results.map(({ value }) => (value as ShadowRoot).textContent).join('');
};

const openChat = async (partner = aPartner()) => {
  const { rerender } = render(<RandomChat />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Find Conversation' }));
  receive('chat_matched', { sessionId: 's1', seq: 1, partnerId, partnerInfo: partner });
  await screen.findByRole('textbox', { name: 'Message' });
  return { user, rerender };
};

/** Loads the list of insults at once; otherwise the page loads it while it is idle. */
const loadInsultList = async (): Promise<void> => {
  await act(async () => {
    const { isInsult } = await import('@/chat-ui/insults/is-insult');
    useInsultGuard.setState({ isInsult });
  });
};

describe('an insult by a stranger', () => {
  it('is announced to screen readers as hidden', async () => {
    const readAnnouncements = spyOnAnnouncements();
    await openChat();
    await loadInsultList();
    receiveMessage(1, 'you are a cunt');
    expect(readAnnouncements()).toContain('brave-heron-7: [Message hidden]');
  });

  it('is hidden until its button is pressed, which shows no other insult', async () => {
    const { user } = await openChat();
    receiveMessage(1, 'you are a cunt');
    // The button appears once the page has loaded the list of insults.
    const button = await screen.findByRole('button', { name: /Message hidden/ });
    expect(getLastMessageRow()).not.toHaveTextContent('cunt');
    receiveMessage(2, 'send nudes');
    await user.click(button);
    expect(screen.getByText('you are a cunt')).toBeVisible();
    expect(getLastMessageRow()).toHaveTextContent('[Message hidden · Show]');
  });

  it('that contains contact details still hides them once it is shown', async () => {
    const { user } = await openChat();
    await loadInsultList();
    receiveMessage(1, 'send nudes to ada@example.org');
    expect(getLastMessageRow()).toHaveTextContent('[Message hidden · Show]');
    expect(getLastMessageRow()).not.toHaveTextContent('Contact');
    await user.click(within(getLastMessageRow()).getByRole('button', { name: /Message hidden/ }));
    expect(getLastMessageRow()).toHaveTextContent('send nudes to [Contact details hidden · Show]');
  });

  it('is hidden in a quote, which has no button to show it', async () => {
    await openChat();
    receiveMessage(1, 'hi');
    await loadInsultList();
    receiveMessage(2, 'sorry', {
      messageId: '1763640000000-1',
      content: 'you cunt',
      senderId: partnerId,
      senderName: 'brave-heron-7',
    });
    expect(getLastMessageRow()).toHaveTextContent('[Message hidden]');
    expect(getLastMessageRow()).not.toHaveTextContent('cunt');
  });

  it('is shown when the user has switched hiding insults off', async () => {
    setHidingInsults(false);
    await openChat();
    await loadInsultList();
    receiveMessage(1, 'you are a cunt');
    expect(getLastMessageRow()).toHaveTextContent('you are a cunt');
  });
});

describe('the profile picture of a stranger', () => {
  const partner = aPartner({ avatar: '/api/files/avatars/a.webp' });
  /** The picture is in the toolbar and, once there is a message, beside the newest message of the partner. */
  const countPictures = () => ({
    all: document.querySelectorAll('img[src="/api/files/avatars/a.webp"]').length,
    blurred: document.querySelectorAll('img.blur-sm').length,
  });
  const queryShowButton = () =>
    screen.queryByRole('button', { name: 'Show the profile picture of brave-heron-7' });

  it('is blurred everywhere in the chat until its button is pressed', async () => {
    const { user } = await openChat(partner);
    receiveMessage(1, 'hi');
    expect(countPictures()).toEqual({ all: 2, blurred: 2 });
    await user.click(queryShowButton()!);
    expect(countPictures()).toEqual({ all: 2, blurred: 0 });
    expect(queryShowButton()).toBeNull();
  });

  it('is no longer blurred when the two become friends', async () => {
    const { rerender } = await openChat(partner);
    expect(countPictures()).toEqual({ all: 1, blurred: 1 });
    rerender(<RandomChat isPartnerFriend />);
    expect(countPictures()).toEqual({ all: 1, blurred: 0 });
  });

  it('is not blurred when the user has switched blurring off', async () => {
    setBlurringPictures(false);
    await openChat(partner);
    expect(countPictures()).toEqual({ all: 1, blurred: 0 });
    expect(queryShowButton()).toBeNull();
  });

  it('has no Show button when the partner has not uploaded one', async () => {
    await openChat();
    expect(queryShowButton()).toBeNull();
  });
});
