import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportEvent } from '@thaw/contract/my-data-export';
import { type ExportableEvent, exportedEvents, isExclusion, toExportedEvent } from './exported-events.rules';
import { exportedTables } from './exported-tables.rules';

const ADA = 7;
const BOB = 9;
const documentation = readFileSync(join(__dirname, '../../../../../docs/my-data.md'), 'utf8');
const fixtures = JSON.parse(
  readFileSync(join(__dirname, '../../../testing/event-fixtures.json'), 'utf8'),
) as { type: string; data: Record<string, unknown> }[];

const exportToAda = (
  type: string,
  data: Record<string, unknown>,
  { streamId = 'chat-s1', isReadable = false }: Partial<ExportableEvent> = {},
): ExportEvent | null =>
  toExportedEvent({ streamId, position: 3, type, occurredAt: new Date(0), data, isReadable }, ADA);

it('has a rule for each field of each type', () => {
  const unknown = fixtures.flatMap(({ type, data }) => {
    const rule = exportedEvents[type];
    if (!rule) return [type];
    if (isExclusion(rule)) return [];
    const known = [
      ...rule.fields,
      ...(rule.ownFields ?? []),
      ...(rule.readableFields ?? []),
      ...(rule.fieldsOfOwnStream ?? []),
      ...(rule.hiddenFields ?? []),
      ...Object.keys(rule.partial ?? {}),
    ];
    const shown = rule.asShown?.(data) ?? data;
    return Object.keys(shown).flatMap((field) => (known.includes(field) ? [] : `${type}.${field}`));
  });
  expect(unknown).toEqual([]);
});

it('is documented: each type and each table, and whether it is exported', () => {
  const rows = documentation.split('\n').filter((line) => line.startsWith('|'));
  const isLeftOut = new Map([
    ...Object.entries(exportedEvents).map(([type, rule]) => [type, isExclusion(rule)] as const),
    ...Object.entries(exportedTables).map(([table, rule]) => [table, 'leftOut' in rule] as const),
  ]);
  for (const [name, expected] of isLeftOut) {
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
    expect([name, row && /\| no: /.test(row)]).toEqual([name, expected]);
  }
});

describe('a message of a random chat', () => {
  const reply = { messageId: '1-0', senderId: BOB, content: 'their words', senderName: 'Bob' };

  it('is whole for its author, except the words that it quotes', () => {
    const data = { messageId: '2-0', senderId: ADA, content: 'hi', messageType: 'text', replyTo: reply };
    expect(exportToAda('MessageSent', data)).toEqual({
      kind: 'event',
      section: 'chats',
      stream: 'chat-s1',
      position: 3,
      at: '1970-01-01T00:00:00.000Z',
      type: 'MessageSent',
      by: 'me',
      data: { ...data, replyTo: { messageId: '1-0', senderId: BOB } },
      omitted: ['replyTo'],
    });
    const ownQuote = { ...reply, senderId: ADA };
    const whole = exportToAda('MessageSent', { senderId: ADA, content: 'hi', replyTo: ownQuote });
    expect(whole).toMatchObject({ data: { replyTo: ownQuote } });
    expect(whole).not.toHaveProperty('omitted');
  });

  it('is exported without its words to the partner', () => {
    const data = {
      senderId: BOB,
      content: 'hello',
      messageType: 'text',
      replyTo: { ...reply, senderId: ADA },
    };
    expect(exportToAda('MessageSent', data)).toMatchObject({
      by: 'other',
      data: { senderId: BOB, messageType: 'text' },
      omitted: ['content', 'replyTo'],
    });
  });
});

it('leaves out the name of the partner, and their answer in a game', () => {
  const people = [ADA, BOB].map((id) => ({ id, username: `user ${id}`, avatar: null }));
  expect(exportToAda('ChatStarted', { userIds: [ADA, BOB], participants: people })).toMatchObject({
    by: null,
    data: { userIds: [ADA, BOB], participants: [people[0]] },
    omitted: ['participants'],
  });
  const answers = [ADA, BOB].map((userId) => ({ userId, response: `of ${userId}` }));
  expect(exportToAda('GameRevealed', { gameId: 'g', questionId: 1, answers })).toMatchObject({
    data: { questionId: 1, answers: [answers[0]] },
    omitted: ['gameId', 'answers'],
  });
});

it('exports a private message by another user only if it is readable', () => {
  const data = { messageId: 1, senderId: BOB, receiverId: ADA, content: 'psst', clientId: 'c' };
  expect(exportToAda('PrivateMessageSent', data, { isReadable: true })).toMatchObject({
    data: { content: 'psst' },
    omitted: ['clientId'],
  });
  expect(exportToAda('PrivateMessageSent', data)?.omitted).toEqual(['content', 'clientId']);
});

it('describes the end of a chat for safety as the users saw it', () => {
  const finding = { kind: 'stated_age', userId: BOB, messageId: '1-0' };
  const ended = exportToAda('ChatEnded', { reason: 'removed', endedBy: null, finding });
  expect(ended?.data).toEqual({ reason: 'disconnected', endedBy: null });
  expect(ended).not.toHaveProperty('omitted');
});

describe('of friend requests', () => {
  const sent = { requestId: 1, requesterId: BOB, addresseeId: ADA };

  it('a hidden one is left out for the addressee, and looks like any other to the requester', () => {
    expect(exportToAda('FriendRequestSent', { ...sent, isHidden: true })).toBeNull();
    const own = { requestId: 1, requesterId: ADA, addresseeId: BOB };
    const [hidden, visible] = [true, false].map((isHidden) =>
      exportToAda('FriendRequestSent', { ...own, isHidden }),
    );
    expect(hidden).toEqual(visible);
  });

  it('the requester does not learn that theirs was declined or withdrawn by a block', () => {
    expect(exportToAda('FriendRequestDeclined', sent)).not.toBeNull();
    expect(exportToAda('FriendRequestDeclined', { ...sent, requesterId: ADA, addresseeId: BOB })).toBeNull();
    expect(exportToAda('FriendRequestVoided', sent)).toBeNull();
  });
});

describe('of conduct', () => {
  const own = { streamId: `conduct-${ADA}` };
  const decided = {
    userId: ADA,
    caseId: 1,
    outcome: 'warned',
    rule: 'no_hate',
    facts: 'You insulted your partner.',
    moderatorId: 3,
    reports: [{ reportId: 2, noticeId: 4, reporterId: BOB }],
    note: 'internal',
  };

  it('a decision is exported without the moderator, the reporters and the note', () => {
    expect(exportToAda('CaseDecided', decided, own)?.data).toEqual({
      userId: ADA,
      caseId: 1,
      outcome: 'warned',
      rule: 'no_hate',
      facts: 'You insulted your partner.',
    });
    expect(exportToAda('CaseDecided', { ...decided, outcome: 'dismissed' }, own)).toBeNull();
  });

  it('only the reporter gets a report, without the evidence', () => {
    const report = { userId: ADA, reportId: 2, reporterId: BOB, words: 'w', evidence: 'e', weight: 1 };
    expect(exportToAda('ReportFiled', report, own)).toBeNull();
    const byAda = { ...report, userId: BOB, reporterId: ADA };
    expect(exportToAda('ReportFiled', byAda, { streamId: `conduct-${BOB}` })).toMatchObject({
      by: 'me',
      data: { userId: BOB, reportId: 2, reporterId: ADA, words: 'w' },
    });
  });

  it("an answer to a second look says nothing about the other user's sanction", () => {
    const answer = { userId: BOB, appealId: 1, outcome: 'reduced', answer: 'a', sanctionId: 5, until: null };
    const foreign = exportToAda('AppealDecided', answer, { streamId: `conduct-${BOB}` });
    expect(foreign?.data).toEqual({ userId: BOB, appealId: 1, outcome: 'reduced', answer: 'a' });
    expect(exportToAda('AppealDecided', { ...answer, userId: ADA }, own)?.data).toHaveProperty('sanctionId');
  });
});

it('exports nothing of types that it does not know', () => {
  expect(exportToAda('FromTheFuture', { userId: ADA, secret: 'x' })).toBeNull();
});
