import { limits } from '@thaw/contract/limits';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { flushPromises } from '@/testing/flush-promises';
import {
  createComposer,
  createPhoto,
  createTestOutbox,
  createText,
  imageUrl,
  setUpBrowser,
} from '@/testing/outbox.fixture';

// The id of a conversation is the friend's id in a private chat ('12'), and the session's id in a random chat ('s1').
// Every test outbox belongs to user 7.

const replyTo = { messageId: '1-1', content: 'hm', senderId: 12, senderName: 'brave-heron-7' };

/** A refusal that allows the next attempt after 900 ms. */
const createRateLimitError = () => new SocketRequestError('refused', 'rate_limited', 900);

beforeEach(setUpBrowser);
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
