import { limits } from '@thaw/contract/limits';
import { createAttachment } from '@/chat-ui/composer/attachment';
import { type ReturnedMessage } from '@/chat-ui/chat-message';
import { createOutbox, type Outbox } from '@/chat-ui/outbox/outbox';
import { toWireContent, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { FakeClock } from '@/testing/fake-clock';
import { flushPromises } from '@/testing/flush-promises';

// The id of a conversation is the friend's id in a private chat ('12'), and the session's id in a random chat ('s1').
// Every test outbox belongs to user 7.

const imageUrl = '/api/files/chat-images/0b0f3f2a-5a86-4a61-9a0e-6a4b8c1d2e3f.webp';
const photo = new File(['x'], 'dot.png', { type: 'image/png' });
/** A text as the composer submits it. */
const createText = (text: string) => ({ text, attachment: null, replyTo: null });
/** A photo that is not uploaded yet, as the composer submits it. */
const createPhoto = (caption: string) => ({
  text: caption,
  attachment: createAttachment(photo),
  replyTo: null,
});
const replyTo = { messageId: '1-1', content: 'hm', senderId: 12, senderName: 'brave-heron-7' };

const createTestOutbox = () => {
  const clock = new FakeClock();
  const connection = { isConnected: true };
  const sent: {
    message: OutgoingMessage;
    content: string;
    ack: () => void;
    ackWithInvalidData: () => void;
    reject: (error: unknown) => void;
  }[] = [];
  const uploads: {
    signal: AbortSignal;
    onProgress: (percent: number) => void;
    finish: (url: string) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const returnedToDrafts: unknown[] = [];
  const lostPictures: unknown[] = [];
  const ackedIds: string[] = [];
  let idCount = 0;
  const outbox = createOutbox({
    clock,
    newId: () => `c${(idCount += 1)}`,
    getStorageKey: (userId) => `test-${userId}`,
    isConnected: () => connection.isConnected,
    send: (message, onAck) =>
      new Promise((_resolve, reject) =>
        sent.push({
          message,
          content: toWireContent(message),
          ack: () => onAck({ ok: true }),
          ackWithInvalidData: () => onAck({}),
          reject,
        }),
      ),
    handleAck: ({ clientId }, data) => {
      const isValid = data.ok === true;
      if (isValid) ackedIds.push(clientId);
      return isValid;
    },
    onRefused: () => undefined,
    upload: (_file, { signal, onProgress }) =>
      new Promise((finish, fail) => uploads.push({ signal, onProgress, finish, fail })),
    onReturnedWithoutComposer: (...args) => returnedToDrafts.push(args),
    onPictureLost: (...args) => lostPictures.push(args),
  });
  outbox.switchUser(7);
  return {
    outbox,
    clock,
    connection,
    sent,
    uploads,
    returnedToDrafts,
    lostPictures,
    ackedIds,
    listMessages: () => outbox.useStore.getState().messages,
    listStates: () => outbox.useStore.getState().messages.map(({ state }) => state),
    getNoticeKind: () => outbox.useStore.getState().notice?.kind,
  };
};

/** A composer that records the messages it takes back. It refuses pictures if it already has other content. */
const createComposer = ({ hasOtherContent = false } = {}) => {
  const returnedMessages: ReturnedMessage[] = [];
  return {
    returnedMessages,
    takeBack: (returned: ReturnedMessage): boolean => {
      const isTakenBack = !hasOtherContent || returned.attachment === null;
      if (isTakenBack) returnedMessages.push(returned);
      return isTakenBack;
    },
  };
};

/** A refusal that allows the next attempt after 900 ms. */
const createRateLimitError = () => new SocketRequestError('refused', 'rate_limited', 900);

const revokeObjectURL = jest.fn();
beforeEach(() => {
  sessionStorage.clear();
  // The outbox warns about a message that is submitted while not connected, and about a photo that was not stored.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  URL.createObjectURL = () => 'blob:photo';
  revokeObjectURL.mockReset();
  URL.revokeObjectURL = revokeObjectURL;
});
afterEach(() => jest.restoreAllMocks());

describe('a text', () => {
  it('is sent at once and removed on its ack', () => {
    const { outbox, sent, ackedIds, listMessages } = createTestOutbox();
    expect(outbox.submit('12', createText('hello'))).toBe(true);
    expect(listMessages()).toMatchObject([{ clientId: 'c1', content: 'hello', state: 'sending' }]);
    sent[0]?.ack();
    expect(ackedIds).toEqual(['c1']);
    expect(listMessages()).toEqual([]);
  });

  it('is not queued while not connected', () => {
    const { outbox, connection, listMessages } = createTestOutbox();
    connection.isConnected = false;
    expect(outbox.submit('12', createText('hello'))).toBe(false);
    expect(listMessages()).toEqual([]);
  });

  it('that was refused or has an invalid ack is resent only by Retry', async () => {
    const { outbox, sent, listStates } = createTestOutbox();
    outbox.submit('12', createText('one'));
    outbox.submit('12', createText('two'));
    sent[0]?.ackWithInvalidData();
    sent[1]?.reject(new SocketRequestError('refused', 'internal'));
    await flushPromises();
    expect(listStates()).toEqual(['refused', 'refused']);
    // A new connection does not send them.
    outbox.resendUnacknowledged();
    expect(sent).toHaveLength(2);
    outbox.retry('c2');
    expect(sent).toHaveLength(3);
    expect(sent[2]?.message.clientId).toBe('c2');
  });

  it('is resent only once when Retry is pressed twice', async () => {
    const { outbox, sent } = createTestOutbox();
    outbox.submit('12', createText('one'));
    sent[0]?.reject(new SocketRequestError('refused', 'internal'));
    await flushPromises();
    outbox.retry('c1');
    outbox.retry('c1');
    expect(sent).toHaveLength(2);
  });

  it('that was in flight when the connection closed is resent once and in order on the next connection', async () => {
    const { outbox, sent, listStates } = createTestOutbox();
    outbox.submit('12', createText('one'));
    outbox.submit('12', createText('two'));
    // Their requests are still in flight.
    outbox.resendUnacknowledged();
    expect(sent).toHaveLength(2);
    for (const { reject } of sent) reject(new SocketRequestError('closed'));
    await flushPromises();
    expect(listStates()).toEqual(['sending', 'sending']);
    outbox.resendUnacknowledged();
    expect(sent.slice(2).map(({ message }) => message.clientId)).toEqual(['c1', 'c2']);
  });

  it('that was unanswered when the client gave up reconnecting is resent on the next connection', async () => {
    const { outbox, sent, listStates } = createTestOutbox();
    outbox.submit('12', createText('one'));
    sent[0]?.reject(new SocketRequestError('timeout'));
    outbox.submit('12', createText('two'));
    sent[1]?.reject(new SocketRequestError('closed'));
    await flushPromises();
    outbox.handleConnectionGivenUp();
    expect(listStates()).toEqual(['unanswered', 'unanswered']);
    outbox.resendUnacknowledged();
    expect(listStates()).toEqual(['sending', 'sending']);
    expect(sent.slice(2).map(({ message }) => message.clientId)).toEqual(['c1', 'c2']);
  });

  it('is resent only in the conversation that resendUnacknowledged names', async () => {
    const { outbox, sent } = createTestOutbox();
    outbox.submit('s1', createText('one'));
    outbox.submit('s2', createText('two'));
    for (const { reject } of sent) reject(new SocketRequestError('closed'));
    await flushPromises();
    outbox.resendUnacknowledged('s2');
    expect(sent.slice(2).map(({ message }) => message.conversationId)).toEqual(['s2']);
  });

  it('returns to its composer with its quoted message on a rate limit', async () => {
    const { outbox, sent, listMessages } = createTestOutbox();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    outbox.submit('12', { ...createText('hello'), replyTo });
    sent[0]?.reject(createRateLimitError());
    await flushPromises();
    expect(listMessages()).toEqual([]);
    expect(composer.returnedMessages).toEqual([{ text: 'hello', attachment: null, replyTo }]);
  });

  it('that returns to its composer on a rate limit is explained by a notice for the time of a toast', async () => {
    const { outbox, sent, clock, getNoticeKind } = createTestOutbox();
    outbox.registerComposer('12', createComposer());
    outbox.submit('12', createText('hello'));
    sent[0]?.reject(createRateLimitError());
    await flushPromises();
    expect(getNoticeKind()).toBe('too_fast');
    clock.advance(pageLimits.toastMs);
    expect(getNoticeKind()).toBeUndefined();
  });

  it('is moved to the draft on a rate limit while its conversation is not on the screen', async () => {
    const { outbox, sent, returnedToDrafts } = createTestOutbox();
    const unregisterComposer = outbox.registerComposer('12', createComposer());
    unregisterComposer();
    outbox.submit('12', createText('hello'));
    sent[0]?.reject(createRateLimitError());
    await flushPromises();
    expect(returnedToDrafts).toEqual([['12', { text: 'hello', replyTo: null }]]);
  });

  it('is removed by Delete', async () => {
    const { outbox, sent, listMessages } = createTestOutbox();
    outbox.submit('12', createText('hello'));
    sent[0]?.reject(new SocketRequestError('refused', 'internal'));
    await flushPromises();
    outbox.discard('c1');
    expect(listMessages()).toEqual([]);
    expect(sessionStorage).toHaveLength(0);
  });
});

describe('a reload', () => {
  /** The new outbox reads what the outbox before the reload has stored. */
  const reload = createTestOutbox;

  it('keeps unsent messages and sends them under the same clientId', () => {
    createTestOutbox().outbox.submit('12', { ...createText('hello'), replyTo });
    const { outbox, sent, listMessages } = reload();
    expect(listMessages()).toMatchObject([{ clientId: 'c1', content: 'hello', replyTo, state: 'sending' }]);
    outbox.resendUnacknowledged();
    expect(sent[0]).toMatchObject({ content: 'hello', message: { clientId: 'c1' } });
  });

  it('keeps an uploaded photo, and reports as lost a photo that was not uploaded yet', async () => {
    const before = createTestOutbox();
    before.outbox.submit('12', createPhoto('uploaded'));
    before.outbox.submit('12', createPhoto('not uploaded'));
    before.uploads[0]?.finish(imageUrl);
    await flushPromises();
    const { listMessages, lostPictures } = reload();
    expect(listMessages()).toMatchObject([{ content: `uploaded\n[IMAGE:${imageUrl}]`, type: 'mixed' }]);
    expect(lostPictures).toEqual([['12', { text: 'not uploaded', replyTo: null }]]);
  });

  it('keeps a photo that the rate limit refuses afterwards: it returns to the composer as a picture', async () => {
    const before = createTestOutbox();
    before.outbox.submit('12', createPhoto('uploaded'));
    before.uploads[0]?.finish(imageUrl);
    await flushPromises();
    const { outbox, sent } = reload();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    outbox.resendUnacknowledged();
    sent[0]?.reject(createRateLimitError());
    await flushPromises();
    expect(composer.returnedMessages).toEqual([
      { text: 'uploaded', replyTo: null, attachment: { previewUrl: imageUrl, file: null, url: imageUrl } },
    ]);
  });

  it('ignores invalid data in storage', () => {
    for (const stored of ['{', '[{}]', 'null', '[{"clientId":"c1"}]']) {
      sessionStorage.setItem('test-7', stored);
      expect(reload().listMessages()).toEqual([]);
    }
  });
});

it('erases the messages of the previous user on a change of user, and ignores responses to them', () => {
  const { outbox, sent, ackedIds, listMessages } = createTestOutbox();
  outbox.submit('12', createText('hello'));
  outbox.switchUser(8);
  expect(listMessages()).toEqual([]);
  expect(sessionStorage).toHaveLength(0);
  sent[0]?.ack();
  expect(ackedIds).toEqual([]);
});

describe('a photo', () => {
  const submitPhoto = (outbox: Outbox, caption = 'look'): void => {
    outbox.submit('12', createPhoto(caption));
  };

  it('is listed with its progress while it uploads, and is then sent', async () => {
    const { outbox, uploads, sent, listMessages } = createTestOutbox();
    submitPhoto(outbox);
    uploads[0]?.onProgress(45);
    expect(listMessages()).toMatchObject([
      {
        state: 'uploading',
        type: 'mixed',
        content: 'look',
        picture: { previewUrl: 'blob:photo', percent: 45 },
      },
    ]);
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
    sent[0]?.ack();
    expect(listMessages()).toEqual([]);
    expect(revokeObjectURL).toHaveBeenCalledWith('blob:photo');
  });

  it('without a caption is of type image', async () => {
    const { outbox, uploads, sent } = createTestOutbox();
    submitPhoto(outbox, '');
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent[0]).toMatchObject({ content: imageUrl, message: { type: 'image' } });
  });

  it('does not delay a text that is written during its upload', () => {
    const { outbox, sent } = createTestOutbox();
    submitPhoto(outbox);
    outbox.submit('12', createText('meanwhile'));
    expect(sent.map(({ content }) => content)).toEqual(['meanwhile']);
  });

  it('is sent even if its conversation was closed during the upload', async () => {
    const { outbox, uploads, sent } = createTestOutbox();
    const unregisterComposer = outbox.registerComposer('12', createComposer());
    submitPhoto(outbox);
    unregisterComposer();
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent).toHaveLength(1);
  });

  it('is aborted by Cancel, and its caption returns to the composer', () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    submitPhoto(outbox);
    outbox.discard('c1');
    expect(uploads[0]?.signal.aborted).toBe(true);
    expect(listMessages()).toEqual([]);
    expect(composer.returnedMessages).toEqual([{ text: 'look', attachment: null, replyTo: null }]);
  });

  it('returns to the empty composer with its caption when the upload fails', async () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    submitPhoto(outbox);
    uploads[0]?.fail(new Error('503'));
    await flushPromises();
    expect(listMessages()).toEqual([]);
    expect(composer.returnedMessages).toMatchObject([
      { text: 'look', attachment: { file: photo, url: null } },
    ]);
    // The composer shows the preview again.
    expect(revokeObjectURL).not.toHaveBeenCalled();
  });

  it.each([
    ['the composer has other content', () => createComposer({ hasOtherContent: true })],
    ['the conversation is closed', () => null],
  ])(
    'stays in the outbox when the upload fails and %s, and Retry uploads it again',
    async (_when, openComposer) => {
      const { outbox, uploads, sent, listStates } = createTestOutbox();
      const composer = openComposer();
      if (composer) outbox.registerComposer('12', composer);
      submitPhoto(outbox);
      uploads[0]?.fail(new Error('503'));
      await flushPromises();
      expect(listStates()).toEqual(['upload_failed']);
      outbox.retry('c1');
      expect(listStates()).toEqual(['uploading']);
      uploads[1]?.finish(imageUrl);
      await flushPromises();
      expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
    },
  );

  it('that already has a URL is not uploaded again', () => {
    const { outbox, uploads, sent } = createTestOutbox();
    const attachment = { previewUrl: imageUrl, file: null, url: imageUrl };
    outbox.submit('12', { text: 'look', attachment, replyTo: null });
    expect(uploads).toEqual([]);
    expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
  });

  it('is removed, and its upload aborted, when keepOnlyConversations does not keep its conversation', () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    submitPhoto(outbox);
    outbox.keepOnlyConversations((conversationId) => conversationId === 's2');
    expect(uploads[0]?.signal.aborted).toBe(true);
    expect(listMessages()).toEqual([]);
  });
});

it('allows one typing frame in two seconds for each conversation, even if a message is sent in between', () => {
  const { outbox, clock } = createTestOutbox();
  expect(outbox.tryAcquireTypingPermit('12')).toBe(true);
  expect(outbox.tryAcquireTypingPermit('12')).toBe(false);
  expect(outbox.tryAcquireTypingPermit('13')).toBe(true);
  clock.advance(limits.typingIntervalMs);
  expect(outbox.tryAcquireTypingPermit('12')).toBe(true);
  outbox.submit('12', createText('hello'));
  expect(outbox.tryAcquireTypingPermit('12')).toBe(false);
});
