import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReplyTo } from '@thaw/contract/random-chat';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { RandomChat } from '@/features/random-chat/components/random-chat';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { useConnection } from '@/lib/socket/connection';
import { type RequestOptions } from '@/lib/socket/pending-requests';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aPartner, aUser } from '@/testing/factories';
import { toast, useToasts } from '@/ui/toast-store';

interface SentRequest {
  event: string;
  data: Record<string, unknown>;
  options: RequestOptions | undefined;
  reject: (error: unknown) => void;
}

/** Commands whose ack the page awaits. A test responds with `options.onAck` or `reject`. */
let requests: SentRequest[];
/** Frames that the page sent without requesting an ack. */
let sentFrames: { event: string; data: unknown }[];
let isConnected: boolean;

const receive = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
  act(() => randomChat.receive({ event, data } as ServerFrame));

/** The partner's name is brave-heron-7. */
const partner = aPartner();
const receiveMatch = (): void =>
  receive('chat_matched', { sessionId: 's1', seq: 1, partnerId: partner.id, partnerInfo: partner });

const setConnected = (connected: boolean): void =>
  act(() => {
    isConnected = connected;
    useConnection.setState({ status: connected ? { kind: 'open' } : { kind: 'retrying', attempt: 1 } });
  });

const renderChat = () => {
  render(<RandomChat />);
  return userEvent.setup();
};

const retryAfterMs = 900;
const rateLimitError = new SocketRequestError('refused', 'rate_limited', retryAfterMs);

const pressFind = (): Promise<void> =>
  userEvent.click(screen.getByRole('button', { name: 'Find Conversation' }));
const getComposer = (): HTMLElement => screen.getByRole('textbox', { name: 'Message' });
const listMessageRows = (): HTMLElement[] =>
  within(screen.getByRole('region', { name: 'Messages' })).getAllByRole('listitem');

/**
 * The announcements are in closed shadow trees, which cannot be found in the document. Only `attachShadow` returns
 * their roots, when it creates them, so this must be called before the chat is rendered.
 * @returns a function that reads the announcements
 */
const spyOnAnnouncements = (): (() => string) => {
  const attachShadow = jest.spyOn(Element.prototype, 'attachShadow');
  return () => attachShadow.mock.results.map(({ value }) => (value as ShadowRoot).textContent).join('');
};

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  localStorage.clear();
  sessionStorage.clear();
  useToasts.setState({ shown: null });
  signIn(aUser());
  requests = [];
  sentFrames = [];
  randomChat.attachSocket({
    get isOpen() {
      return isConnected;
    },
    send: (event: string, data: unknown) => {
      sentFrames.push({ event, data });
      return isConnected;
    },
    request: (event: string, data: Record<string, unknown>, options?: RequestOptions) =>
      new Promise((_resolve, reject) => requests.push({ event, data, options, reject })),
    resync: () => undefined,
  } as unknown as RandomChatSocket);
  // Resets the store for the user who has just signed in.
  randomChat.switchUser();
  isConnected = true;
  useConnection.setState({ status: { kind: 'open' } });
});
afterEach(() => {
  act(() => signOut());
  jest.restoreAllMocks();
});

describe('initial phase', () => {
  it('shows the title and the choices, and searches with the chosen preference', async () => {
    const user = renderChat();
    expect(screen.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
    const choice = screen.getByRole('radiogroup', { name: 'Looking to chat with' });
    expect(
      within(choice)
        .getAllByRole('radio')
        .map(({ textContent }) => textContent),
    ).toEqual(['Both', 'Man', 'Woman']);
    expect(screen.getByRole('radio', { name: 'Both' })).toBeChecked();
    await user.click(screen.getByRole('radio', { name: 'Woman' }));
    await pressFind();
    expect(requests[0]).toMatchObject({ event: 'join_queue', data: { preferences: 'female' } });
  });

  it("shows a disabled 'Connecting...' without a connection", () => {
    setConnected(false);
    renderChat();
    expect(screen.getByRole('button', { name: 'Connecting...' })).toBeDisabled();
    setConnected(true);
    expect(screen.getByRole('button', { name: 'Find Conversation' })).toBeEnabled();
  });
});

describe('searching phase', () => {
  it('ends with leave_queue on Cancel', async () => {
    const user = renderChat();
    await pressFind();
    expect(screen.getByRole('heading', { name: 'Looking for someone...' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(requests.at(-1)).toMatchObject({ event: 'leave_queue', data: {} });
    expect(screen.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  });
});

describe('active phase', () => {
  const openChat = async () => {
    const user = renderChat();
    await pressFind();
    receiveMatch();
    await screen.findByRole('heading', { name: 'brave-heron-7' });
    return user;
  };

  const acknowledgeLastRequest = (): void =>
    act(() =>
      requests
        .at(-1)
        ?.options?.onAck?.({ id: '1763640000000-0', seq: 2, timestamp: '2026-11-20T12:00:00.000Z' }),
    );

  const receiveMessage = (content: string, replyTo: ReplyTo | null = null): void =>
    receive('random_message', {
      sessionId: 's1',
      seq: 2,
      id: '1763640000000-2',
      senderId: partner.id,
      content,
      type: 'text',
      timestamp: '2026-11-20T12:00:00.000Z',
      replyTo,
    });

  it("shows the welcome and the partner's name", async () => {
    await openChat();
    expect(screen.getByText('🎉 You are now chatting with brave-heron-7. Say hi!')).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'brave-heron-7' })).toBeVisible();
  });

  it('sends a message and shows it as sending, then as sent', async () => {
    const user = await openChat();
    await user.type(getComposer(), 'hello{Enter}');
    expect(listMessageRows().at(-1)).toHaveTextContent(/hello.*Sending/);
    acknowledgeLastRequest();
    expect(listMessageRows().at(-1)).toHaveTextContent(/hello.*Sent/);
  });

  it('shows a failed message with Retry, which uses the same clientId', async () => {
    const user = await openChat();
    await user.type(getComposer(), 'hello{Enter}');
    const firstRequest = requests.at(-1);
    await act(async () => firstRequest?.reject(new SocketRequestError('refused', 'internal')));
    expect(listMessageRows().at(-1)).toHaveTextContent('Not delivered');
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(requests.at(-1)?.data.clientId).toBe(firstRequest?.data.clientId);
    expect(listMessageRows().at(-1)).toHaveTextContent('Sending');
  });

  it("keeps the text, adds no message and shows 'Not sent: reconnecting' while not connected", async () => {
    const user = await openChat();
    setConnected(false);
    await user.type(getComposer(), 'hello{Enter}');
    expect(screen.getByText('Not sent: reconnecting')).toBeVisible();
    expect(getComposer()).toHaveValue('hello');
    // The only row is the welcome notice.
    expect(listMessageRows()).toHaveLength(1);
    setConnected(true);
    expect(screen.queryByText('Not sent: reconnecting')).not.toBeInTheDocument();
    expect(getComposer()).toHaveValue('hello');
  });

  it('returns the text of a rate-limited message to the composer', async () => {
    const user = await openChat();
    await user.type(getComposer(), 'hello{Enter}');
    await act(async () => requests.at(-1)?.reject(rateLimitError));
    expect(getComposer()).toHaveValue('hello');
    expect(screen.getByText(/a little slower/)).toBeVisible();
  });

  it('reopens a refused edit in place of the draft, and restores the draft when it is sent again', async () => {
    const user = await openChat();
    await user.type(getComposer(), 'helo{Enter}');
    acknowledgeLastRequest();
    await user.click(getComposer());
    // In the empty composer, ArrowUp opens the user's last message for editing.
    await user.keyboard('{ArrowUp}');
    await user.clear(getComposer());
    await user.type(getComposer(), 'hello{Enter}');
    expect(listMessageRows().at(-1)).toHaveTextContent(/hello.*edited/);

    // While the edit is in progress, the user begins another message. Then the edit is refused.
    await user.type(getComposer(), 'draft');
    await act(async () => requests.at(-1)?.reject(rateLimitError));
    expect(listMessageRows().at(-1)).toHaveTextContent(/helo/);
    expect(screen.getByText('Editing your message')).toBeVisible();
    expect(getComposer()).toHaveValue('hello');
    expect(screen.getByText(/^Not saved: a little slower/)).toBeVisible();

    await user.keyboard('{Enter}');
    expect(requests.at(-1)).toMatchObject({ event: 'message_edit', data: { newContent: 'hello' } });
    expect(getComposer()).toHaveValue('draft');
  });

  it('shows that the partner is typing, or that they are reconnecting', async () => {
    await openChat();
    receive('typing', { sessionId: 's1', userId: partner.id });
    expect(screen.getByText('brave-heron-7 is typing')).toBeVisible();
    receive('partner_connection', { sessionId: 's1', state: 'reconnecting' });
    expect(screen.queryByText('brave-heron-7 is typing')).not.toBeInTheDocument();
    expect(screen.getByText('Reconnecting…')).toBeVisible();
  });

  it("shows markup in a partner's message as plain text", async () => {
    await openChat();
    const content = '<img src=x onerror=alert(1)> [IMAGE:/api/files/x.png]';
    receiveMessage(content);
    expect(listMessageRows().at(-1)).toHaveTextContent(content);
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
    expect(screen.queryByRole('img')).not.toBeInTheDocument();
  });

  it("hides a stranger's contact details until they are pressed, and never makes them links", async () => {
    const user = await openChat();
    receiveMessage('write to ada@example.org or see https://example.net/a ok?');
    const getRow = () => listMessageRows().at(-1)!;
    expect(getRow()).toHaveTextContent(
      'write to [Contact details hidden · Show] or see [Contact details hidden · Show] ok?',
    );
    expect(getRow()).not.toHaveTextContent('example');
    const showLinkButton = within(getRow()).getAllByRole('button', { name: /Contact details hidden/ })[1]!;
    await user.click(showLinkButton);
    // The pressed button disappears, so its row gets the focus.
    expect(getRow()).toHaveFocus();
    expect(getRow()).toHaveTextContent('or see https://example.net/a ok?');
    expect(getRow()).not.toHaveTextContent('ada@example.org');
    expect(within(getRow()).getByRole('button', { name: 'Copy example.net' })).toBeVisible();
    expect(within(getRow()).queryByRole('link')).not.toBeInTheDocument();
  });

  it("hides a stranger's contact details in quotes and announcements, without a button to show them", async () => {
    const readAnnouncements = spyOnAnnouncements();
    await openChat();
    receiveMessage('my snap is ada_99', {
      messageId: '1763640000000-1',
      content: 'call 0170 1234567',
      senderId: partner.id,
      senderName: partner.username,
    });
    expect(listMessageRows().at(-1)).toHaveTextContent(/brave-heron-7 ?call \[Contact details hidden\]/);
    expect(readAnnouncements()).toBe('brave-heron-7: my snap is [Contact details hidden]');
  });

  it('warns once per chat before contact details are sent, and sends them on the second attempt', async () => {
    const user = await openChat();
    const warning = 'You are about to share contact details with a stranger. Send anyway?';
    await user.type(getComposer(), 'hello{Enter}');
    expect(screen.queryByText(warning)).not.toBeInTheDocument();
    await user.type(getComposer(), 'i am ada@example.org{Enter}');
    expect(screen.getByText(warning)).toBeVisible();
    expect(requests.filter(({ event }) => event === 'random_message')).toHaveLength(1);
    expect(getComposer()).toHaveValue('i am ada@example.org');
    await user.type(getComposer(), '{Enter}');
    expect(requests.at(-1)).toMatchObject({ data: { content: 'i am ada@example.org' } });
    expect(screen.queryByText(warning)).not.toBeInTheDocument();
    await user.type(getComposer(), 'or www.example.org{Enter}');
    expect(requests.at(-1)).toMatchObject({ data: { content: 'or www.example.org' } });
  });

  it("announces the partner's messages to screen readers once, and not the user's own", async () => {
    const readAnnouncements = spyOnAnnouncements();
    const user = await openChat();
    receiveMessage('good evening');
    expect(readAnnouncements()).toBe('brave-heron-7: good evening');
    expect(screen.getByText('good evening')).toBeVisible();
    await user.type(getComposer(), 'hello{Enter}');
    expect(readAnnouncements()).toBe('brave-heron-7: good evening');
  });

  it("asks 'Skip this chat?' on Skip Chat or Escape; Cancel or another Escape closes the question", async () => {
    const user = await openChat();
    const skip = screen.getByRole('button', { name: 'Skip Chat' });
    await user.click(skip);
    const bar = screen.getByRole('group', { name: 'Skip this chat?' });
    expect(within(bar).getByRole('button', { name: 'Confirm' })).toHaveFocus();
    await user.click(within(bar).getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByText('Skip this chat?')).not.toBeInTheDocument();
    expect(skip).toHaveFocus();
    await user.keyboard('{Escape}');
    expect(screen.getByRole('group', { name: 'Skip this chat?' })).toBeVisible();
    await user.keyboard('{Escape}');
    expect(screen.queryByText('Skip this chat?')).not.toBeInTheDocument();
    expect(sentFrames).toEqual([]); // the chat was not skipped
  });

  it("while a toast is shown, Escape does not ask 'Skip this chat?', but closes an open question", async () => {
    const user = await openChat();
    toast({ title: 'Friend request sent' });
    await user.keyboard('{Escape}');
    expect(screen.queryByText('Skip this chat?')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Skip Chat' }));
    toast({ title: 'Friend request sent' });
    await user.keyboard('{Escape}');
    expect(screen.queryByText('Skip this chat?')).not.toBeInTheDocument();
  });

  it('skips on Confirm and searches again', async () => {
    const user = await openChat();
    await user.click(screen.getByRole('button', { name: 'Skip Chat' }));
    await user.click(screen.getByRole('button', { name: 'Confirm' }));
    expect(sentFrames).toEqual([{ event: 'skip_chat', data: { sessionId: 's1' } }]);
    expect(requests.at(-1)?.event).toBe('join_queue');
    expect(screen.getByRole('heading', { name: 'Looking for someone...' })).toBeVisible();
  });

  it("closes the question 'Skip this chat?' when the partner skips first", async () => {
    const user = await openChat();
    await user.click(screen.getByRole('button', { name: 'Skip Chat' }));
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id });
    expect(screen.queryByText('Skip this chat?')).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Chat Ended' })).toBeVisible();
  });
});

describe('skipped phase', () => {
  it.each([
    ['skipped', 'Your chat partner skipped this conversation'],
    ['disconnected', 'Your chat partner disconnected'],
  ] as const)("for the end reason %s shows '%s', until New Conversation is pressed", async (reason, text) => {
    const user = renderChat();
    await pressFind();
    receiveMatch();
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason, endedBy: partner.id });
    expect(screen.getByRole('heading', { name: 'Chat Ended' })).toBeVisible();
    expect(screen.getByText(text)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'New Conversation' }));
    expect(screen.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  });
});
