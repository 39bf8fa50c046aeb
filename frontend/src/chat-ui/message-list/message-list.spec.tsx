import { act, createEvent, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ComponentProps } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { MessageList } from '@/chat-ui/message-list/message-list';
import { type MessageCommands } from '@/chat-ui/message/message-commands';

const me = { id: 11, username: 'quiet-otter-1', avatar: null };
const partner = { id: 12, username: 'brave-heron-7', avatar: null };
const ignore = (): void => undefined;

const createMessage = (n: number, changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id: `1763640000000-${n}`,
  key: `m-${n}`,
  senderId: partner.id,
  content: `message ${n}`,
  type: 'text',
  timestamp: 1_763_640_000_000 + n,
  replyTo: null,
  reactions: {},
  isEdited: false,
  delivery: 'sent',
  ...changes,
});

const onRetry = jest.fn();
const onDiscard = jest.fn();
const onReport = jest.fn();
beforeEach(() => jest.clearAllMocks());

const commands: MessageCommands = {
  onReply: ignore,
  onEdit: ignore,
  onReact: ignore,
  onDelete: ignore,
  onRetry,
  onDiscard,
  onReport,
  onJump: ignore,
  onReveal: ignore,
  onOpenImage: ignore,
};

/** Opens the sheet with the actions of a message, as Enter on the focused row does. */
const openSheet = async (row: HTMLElement) => {
  fireEvent.keyDown(row, { key: 'Enter' });
  return within(await screen.findByRole('dialog'));
};

/**
 * The partner is a friend, unless `revealed` is a set. Then they are a stranger, whose photos are hidden if the set
 * does not contain their URLs.
 */
const createList = (
  messages: readonly ChatMessage[],
  props: Partial<ComponentProps<typeof MessageList>> = {},
) => (
  <MessageList
    label="Messages"
    messages={messages}
    me={me}
    partner={partner}
    commands={commands}
    capabilities={{ reply: true, edit: true, react: true, delete: false, attach: true, report: true }}
    revealed={null}
    {...props}
  />
);

it.each([
  ["the partner's message", partner.id],
  ["the user's own message", me.id],
])('shows %s although its time is invalid', (_name, senderId) => {
  // `Intl` throws for such a time, and a row that cannot be rendered is replaced with an alert.
  render(createList([createMessage(1, { senderId, timestamp: NaN })]));
  expect(screen.getByText('message 1')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

describe('a message that was not delivered', () => {
  const failed = createMessage(1, { senderId: me.id, clientId: 'c1', delivery: 'failed' });

  it('has Retry and Delete below it', async () => {
    render(createList([failed]));
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(onRetry).toHaveBeenCalledWith('c1');
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    expect(onDiscard).toHaveBeenCalledWith('c1');
  });

  it('has Copy text, Retry and Delete in its sheet', async () => {
    render(createList([failed]));
    const sheet = await openSheet(screen.getByRole('listitem'));
    expect(sheet.getByRole('button', { name: 'Copy text' })).toBeVisible();
    expect(sheet.getByRole('button', { name: 'Retry' })).toBeVisible();
    await userEvent.click(sheet.getByRole('button', { name: 'Delete' }));
    expect(onDiscard).toHaveBeenCalledWith('c1');
  });

  it("closes its sheet on the browser's Back", async () => {
    render(createList([failed]));
    await openSheet(screen.getByRole('listitem'));
    expect(screen.getByRole('dialog')).toBeVisible();
    // The sheet adds a history entry after it has opened.
    await waitFor(() => expect(history.state).toMatchObject({ overlay: expect.any(String) as string }));
    act(() => history.back());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

it("offers a report for the partner's messages only", async () => {
  render(createList([createMessage(1), createMessage(2, { senderId: me.id })]));
  const [partnerRow, ownRow] = screen.getAllByRole('listitem');
  const ownSheet = await openSheet(ownRow!);
  expect(ownSheet.queryByRole('button', { name: 'Report message' })).toBeNull();
  await userEvent.keyboard('{Escape}');
  const partnerSheet = await openSheet(partnerRow!);
  await userEvent.click(partnerSheet.getByRole('button', { name: 'Report message' }));
  expect(onReport).toHaveBeenCalledWith(createMessage(1).id);
});

it('shows the progress of a photo upload, with Cancel', async () => {
  const picture = { previewUrl: 'blob:photo', percent: 45 };
  render(
    createList([
      createMessage(1, { senderId: me.id, clientId: 'c1', type: 'mixed', delivery: 'sending', picture }),
    ]),
  );
  expect(screen.getByRole('progressbar', { name: 'Sending photo' })).toHaveAttribute('value', '45');
  expect(screen.getByRole('img', { name: 'Your photo' })).toHaveAttribute('src', 'blob:photo');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onDiscard).toHaveBeenCalledWith('c1');
});

const tap = (element: HTMLElement, timeMs: number): void => {
  const touch = { clientX: 100, clientY: 100 };
  fireEvent.touchStart(element, { touches: [touch] });
  const end = createEvent.touchEnd(element, { changedTouches: [touch] });
  Object.defineProperty(end, 'timeStamp', { value: timeMs });
  fireEvent(element, end);
};

it('reacts with a heart on a double tap, not on two slow taps', () => {
  const onReact = jest.fn();
  const message = createMessage(1);
  render(createList([message], { commands: { ...commands, onReact } }));
  const text = screen.getByText('message 1');
  tap(text, 1_000);
  tap(text, 2_000);
  expect(onReact).not.toHaveBeenCalled();
  tap(text, 2_200); // a double tap, with the tap before
  expect(onReact.mock.calls).toEqual([[message.id, '❤️']]);
});

describe('a rendering error', () => {
  beforeEach(() => jest.spyOn(console, 'error').mockImplementation(ignore));
  afterEach(() => jest.restoreAllMocks());

  it('in a row replaces only this row, with an error text', () => {
    const card = createMessage(2, { card: { kind: 'a card' } });
    const renderCard = (): never => {
      throw new Error('broken card');
    };
    render(createList([createMessage(1), card, createMessage(3)], { renderCard }));
    expect(screen.getByText('message 1')).toBeInTheDocument();
    expect(screen.getByText('message 3')).toBeInTheDocument();
    expect(screen.getByText('This message cannot be shown.')).toBeInTheDocument();
  });

  describe('outside the rows', () => {
    // The list calls this function itself, so the error boundary of a row does not catch its error.
    const renderAbove = ({ content }: ChatMessage): null => {
      if (content === 'message 1') throw new Error('broken list');
      return null;
    };

    it('replaces the list with an error text, and is logged', () => {
      render(createList([createMessage(1)], { renderAbove }));
      expect(screen.getByText('The messages cannot be shown.')).toBeInTheDocument();
      expect(console.error).toHaveBeenCalledWith(
        'A part of the page could not be rendered',
        expect.objectContaining({ message: 'broken list' }),
        expect.any(String),
      );
    });

    it('does not prevent the list from being shown again when the messages change', () => {
      const { rerender } = render(createList([createMessage(1)], { renderAbove }));
      expect(screen.getByText('The messages cannot be shown.')).toBeInTheDocument();
      rerender(createList([createMessage(2)], { renderAbove }));
      expect(screen.getByText('message 2')).toBeInTheDocument();
    });
  });
});

// A stranger's photo is hidden until the user reveals it. The server marks the URL of one that may be explicit.
describe('the label of a photo that may be explicit', () => {
  const uuid = '0b5c9a2e-4f6d-4c1b-9a3e-2d7f8e1c6b5a';
  const explicitUrl = `/api/files/chat-images/${uuid}.explicit.jpg`;
  const createPhoto = (url: string, senderId = partner.id) =>
    createMessage(1, { type: 'image', content: url, senderId });

  it('is on the button that reveals the photo, and is gone afterwards', () => {
    const { rerender } = render(createList([createPhoto(explicitUrl)], { revealed: new Set() }));
    const showButton = screen.getByRole('button', {
      name: 'Show photo from brave-heron-7, which may be explicit',
    });
    expect(within(showButton).getByText('May be explicit')).toBeVisible();
    rerender(createList([createPhoto(explicitUrl)], { revealed: new Set([explicitUrl]) }));
    expect(screen.getByRole('button', { name: 'Open: Photo from brave-heron-7' })).toBeVisible();
    expect(screen.queryByText('May be explicit')).not.toBeInTheDocument();
  });

  it('is absent if the URL of the photo does not contain ".explicit"', () => {
    const harmlessUrl = explicitUrl.replace('.explicit', '');
    render(createList([createPhoto(harmlessUrl)], { revealed: new Set() }));
    expect(screen.getByRole('button', { name: 'Show photo from brave-heron-7' })).toBeVisible();
    expect(screen.queryByText('May be explicit')).not.toBeInTheDocument();
  });

  it('is not shown to the sender of the photo', () => {
    render(createList([createPhoto(explicitUrl, me.id)], { revealed: new Set() }));
    expect(screen.getByRole('button', { name: 'Open: Your photo' })).toBeVisible();
    expect(screen.queryByText('May be explicit')).not.toBeInTheDocument();
  });
});
