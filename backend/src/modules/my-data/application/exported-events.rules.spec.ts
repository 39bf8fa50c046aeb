import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportEvent } from '@thaw/contract/my-data-export';
import { type ExportableEvent, exportedEvents, isExclusion, toExportedEvent } from './exported-events.rules';
import { exportedTables } from './exported-tables.rules';

// User ids.
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

it('each field of each event type has a rule', () => {
  const fieldsWithoutRule = fixtures.flatMap(({ type, data }) => {
    const rule = exportedEvents[type];
    if (!rule) return [type];
    if (isExclusion(rule)) return [];
    const listedFields = [
      ...rule.fields,
      ...(rule.ownFields ?? []),
      ...(rule.readableFields ?? []),
      ...(rule.fieldsOfOwnStream ?? []),
      ...(rule.hiddenFields ?? []),
      ...Object.keys(rule.partialFields ?? {}),
    ];
    // `asShown` may drop fields, which then need no rule.
    const shown = rule.asShown?.(data) ?? data;
    return Object.keys(shown).flatMap((field) => (listedFields.includes(field) ? [] : `${type}.${field}`));
  });
  expect(fieldsWithoutRule).toEqual([]);
});

it('docs/my-data.md lists each event type and each table, and whether it is exported', () => {
  const rows = documentation.split('\n').filter((line) => line.startsWith('|'));
  const isExportedByName = new Map([
    ...Object.entries(exportedEvents).map(([type, rule]) => [type, !isExclusion(rule)] as const),
    ...Object.entries(exportedTables).map(([table, rule]) => [table, !('leftOut' in rule)] as const),
  ]);
  for (const [name, isExported] of isExportedByName) {
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
    // The second column of a type or table that is not exported is "no: " and the reason.
    const isDocumentedAsExported = row && !/\| no: /.test(row);
    expect([name, isDocumentedAsExported]).toEqual([name, isExported]);
  }
});

describe('a message of a random chat', () => {
  const quote = { messageId: '1-0', senderId: BOB, content: 'their words', senderName: 'Bob' };

  it('is exported completely to its author, except words of others that it quotes', () => {
    const data = { messageId: '2-0', senderId: ADA, content: 'hi', messageType: 'text', replyTo: quote };
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
    const ownQuote = { ...quote, senderId: ADA };
    const withOwnQuote = exportToAda('MessageSent', { senderId: ADA, content: 'hi', replyTo: ownQuote });
    expect(withOwnQuote).toMatchObject({ data: { replyTo: ownQuote } });
    expect(withOwnQuote).not.toHaveProperty('omitted');
  });

  it('is exported to the partner without its text', () => {
    const data = {
      senderId: BOB,
      content: 'hello',
      messageType: 'text',
      replyTo: { ...quote, senderId: ADA },
    };
    expect(exportToAda('MessageSent', data)).toMatchObject({
      by: 'other',
      data: { senderId: BOB, messageType: 'text' },
      omitted: ['content', 'replyTo'],
    });
  });
});

it('the start of a chat is exported without the name of the partner', () => {
  const participants = [ADA, BOB].map((id) => ({ id, username: `user ${id}`, avatar: null }));
  expect(exportToAda('ChatStarted', { userIds: [ADA, BOB], participants })).toMatchObject({
    by: null,
    data: { userIds: [ADA, BOB], participants: [participants[0]] },
    omitted: ['participants'],
  });
});

it('the result of a game is exported without the answer of the partner and the game id', () => {
  const answers = [ADA, BOB].map((userId) => ({ userId, response: `of ${userId}` }));
  expect(exportToAda('GameRevealed', { gameId: 'g', questionId: 1, answers })).toMatchObject({
    data: { questionId: 1, answers: [answers[0]] },
    omitted: ['gameId', 'answers'], // the client of the partner may have chosen the game id
  });
});

it('the text of a private message by another user is exported only if the user can read it today', () => {
  const data = { messageId: 1, senderId: BOB, receiverId: ADA, content: 'psst', clientId: 'c' };
  expect(exportToAda('PrivateMessageSent', data, { isReadable: true })).toMatchObject({
    data: { content: 'psst' },
    omitted: ['clientId'],
  });
  expect(exportToAda('PrivateMessageSent', data)?.omitted).toEqual(['content', 'clientId']);
});

it('the end of a chat that was ended for safety is exported as a lost connection', () => {
  const finding = { kind: 'stated_age', userId: BOB, messageId: '1-0' };
  const ended = exportToAda('ChatEnded', { reason: 'removed', endedBy: null, finding });
  expect(ended?.data).toEqual({ reason: 'disconnected', endedBy: null });
  expect(ended).not.toHaveProperty('omitted');
});

describe('friend requests', () => {
  const requestByBob = { requestId: 1, requesterId: BOB, addresseeId: ADA };
  const requestByAda = { requestId: 1, requesterId: ADA, addresseeId: BOB };

  it('a request that is hidden from the addressee is exported to the requester only, like a visible one', () => {
    expect(exportToAda('FriendRequestSent', { ...requestByBob, isHidden: true })).toBeNull();
    const [hidden, visible] = [true, false].map((isHidden) =>
      exportToAda('FriendRequestSent', { ...requestByAda, isHidden }),
    );
    expect(hidden).toEqual(visible);
  });

  it('the requester does not learn of a decline, and neither user learns that a block voided the request', () => {
    expect(exportToAda('FriendRequestDeclined', requestByBob)).not.toBeNull();
    expect(exportToAda('FriendRequestDeclined', requestByAda)).toBeNull();
    expect(exportToAda('FriendRequestVoided', requestByAda)).toBeNull();
    expect(exportToAda('FriendRequestVoided', requestByBob)).toBeNull();
  });
});

describe('events about conduct', () => {
  const streamOfAda = { streamId: `conduct-${ADA}` };
  const streamOfBob = { streamId: `conduct-${BOB}` };
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

  it('a decision is exported without the moderator, the reporters and the note; a dismissal is not exported', () => {
    expect(exportToAda('CaseDecided', decided, streamOfAda)?.data).toEqual({
      userId: ADA,
      caseId: 1,
      outcome: 'warned',
      rule: 'no_hate',
      facts: 'You insulted your partner.',
    });
    expect(exportToAda('CaseDecided', { ...decided, outcome: 'dismissed' }, streamOfAda)).toBeNull();
  });

  it('the reason of a lifted sanction is exported only for a ban that was not confirmed', () => {
    const data = { userId: ADA, sanctionId: 2, noticeId: 5, moderatorId: BOB, reason: 'seen again' };
    const lifted = exportToAda('SanctionLifted', { ...data, cause: 'moderator' }, streamOfAda);
    expect(lifted?.data).toEqual({ userId: ADA, sanctionId: 2, noticeId: 5, cause: 'moderator' });
    expect(lifted?.omitted).toEqual(['moderatorId', 'reason']);
    const notConfirmed = exportToAda('SanctionLifted', { ...data, cause: 'not_confirmed' }, streamOfAda);
    expect(notConfirmed?.data).toMatchObject({ reason: 'seen again' });
    expect(notConfirmed?.omitted).toEqual(['moderatorId']);
  });

  it('a report is exported only to the reporter, without evidence and weight', () => {
    const report = { userId: ADA, reportId: 2, reporterId: BOB, words: 'w', evidence: 'e', weight: 1 };
    expect(exportToAda('ReportFiled', report, streamOfAda)).toBeNull();
    const byAda = { ...report, userId: BOB, reporterId: ADA };
    const exported = exportToAda('ReportFiled', byAda, streamOfBob);
    expect(exported?.by).toBe('me');
    expect(exported?.data).toEqual({ userId: BOB, reportId: 2, reporterId: ADA, words: 'w' });
  });

  it("the decision on an appeal discloses nothing about another user's sanction", () => {
    const decision = {
      userId: BOB,
      appealId: 1,
      outcome: 'reduced',
      answer: 'a',
      sanctionId: 5,
      until: null,
    };
    // Ada has reported Bob, and has appealed against the outcome. The appeal is in the stream of Bob.
    const aboutBob = exportToAda('AppealDecided', decision, streamOfBob);
    expect(aboutBob?.data).toEqual({ userId: BOB, appealId: 1, outcome: 'reduced', answer: 'a' });
    expect(exportToAda('AppealDecided', { ...decision, userId: ADA }, streamOfAda)?.data).toHaveProperty(
      'sanctionId',
    );
  });
});

it('events of unknown types are not exported', () => {
  expect(exportToAda('FromTheFuture', { userId: ADA, secret: 'x' })).toBeNull();
});
