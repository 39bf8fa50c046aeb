import type { ExportEvent, ExportSection } from '@thaw/contract/my-data-export';

type Data = Record<string, unknown>;

/** An event of a stream that concerns the user. */
export interface ExportableEvent {
  streamId: string;
  position: number;
  type: string;
  occurredAt: Date;
  data: Data;
  /** Of a private message: whether this is its current text, and the user can read it today. */
  isReadable: boolean;
}

/** How an event type is exported. A field that is in none of the lists is left out. */
export interface ExportRule {
  section: ExportSection;
  /** The field with the id of the user who acted. Without it, the service or a moderator did. */
  author?: string;
  /** Only the author gets the event. */
  isOwnOnly?: true;
  /** Exported of every author. */
  fields: readonly string[];
  /** Exported if the user acted. */
  ownFields?: readonly string[];
  /** Exported if the user acted, or can read the message today. */
  readableFields?: readonly string[];
  /** Left out of streams about another user. */
  fieldsOfOwnStream?: readonly string[];
  /** Never exported. */
  hiddenFields?: readonly string[];
  /** Reduces fields to the user's part of them. */
  partial?: Readonly<Record<string, (value: unknown, userId: number) => unknown>>;
  /** The data as the user saw it, where the log has more. What it drops is not listed as omitted. */
  asShown?: (data: Data) => Data;
  /** Whether the event is left out because of its data. */
  isLeftOut?: (data: Data, isOwn: boolean) => boolean;
}

/** Why no event of a type is exported. */
export interface Exclusion {
  leftOut: string;
}

const exportAccountFields = (...fields: string[]): ExportRule => ({
  section: 'account',
  author: 'userId',
  fields: ['userId', ...fields],
});
const exportFriendFields = (author: string, ...fields: string[]): ExportRule => ({
  section: 'friends',
  author,
  fields,
});
const request = ['requestId', 'requesterId', 'addresseeId'];
const exportConductFields = (...fields: string[]): ExportRule => ({
  section: 'conduct',
  fields: ['userId', ...fields],
});
const withHiddenFields = (rule: ExportRule, ...hiddenFields: string[]): ExportRule => ({
  ...rule,
  hiddenFields,
});

const GONE = 'The account is gone, and nothing can be exported.';
const UNDECIDED = 'Would disclose a report before its decision. Decisions are exported.';
const INTERNAL = 'How moderators work on a case.';

/** The user's own elements of an array of objects. */
const ownElements =
  (idField: string) =>
  (value: unknown, userId: number): unknown =>
    Array.isArray(value) ? value.filter((element: Data) => element[idField] === userId) : value;

/** Quotes of the partner keep their reference and lose their words. */
const withoutForeignWords = (value: unknown, userId: number): unknown => {
  if (value === null || typeof value !== 'object') return value;
  const { messageId, senderId } = value as Data;
  return senderId === userId ? value : { messageId, senderId };
};

/** Users see the end of a chat for safety as a lost connection. */
const toShownEnd = ({ finding: _, reason, ...data }: Data): Data => ({
  ...data,
  reason: reason === 'removed' ? 'disconnected' : reason,
});

/** Every event type of the log: how it is exported, or why not (docs/my-data.md). */
export const exportedEvents: Readonly<Record<string, ExportRule | Exclusion>> = {
  UserRegistered: exportAccountFields('username', 'email'),
  AnonymousUserStarted: exportAccountFields('username'),
  GenderChosen: exportAccountFields('gender'),
  ProfileChanged: exportAccountFields('username', 'avatar'),
  AccountConverted: exportAccountFields('email'),
  EmailChanged: exportAccountFields('email'),
  ModeratorAppointed: { section: 'account', fields: ['userId'] },
  ModeratorDismissed: { section: 'account', fields: ['userId'] },
  ErasureRequested: { leftOut: GONE },
  PersonErased: { leftOut: GONE },

  FriendRequestSent: {
    ...exportFriendFields('requesterId', ...request),
    // The addressee never sees a hidden request, and the requester does not know that it is hidden.
    asShown: ({ isHidden: _, ...data }) => data,
    isLeftOut: ({ isHidden }, isOwn) => isHidden === true && !isOwn,
  },
  FriendRequestAccepted: exportFriendFields('addresseeId', ...request),
  // The requester gets no answer.
  FriendRequestDeclined: { ...exportFriendFields('addresseeId', ...request), isOwnOnly: true },
  FriendRequestVoided: { leftOut: 'Would tell the user that the other one has blocked them.' },
  FriendshipRemoved: exportFriendFields('removedBy', 'removedBy', 'removedFriendId'),

  PersonBlocked: { section: 'blocks', author: 'blockerId', fields: ['blockerId', 'blockedId'] },
  PersonUnblocked: { section: 'blocks', author: 'blockerId', fields: ['blockerId', 'blockedId'] },

  ChatStarted: {
    section: 'chats',
    fields: ['userIds'],
    partial: { participants: ownElements('id') },
  },
  MessageSent: {
    section: 'chats',
    author: 'senderId',
    fields: ['messageId', 'senderId', 'messageType'],
    ownFields: ['content', 'replyTo', 'clientId'],
    partial: { replyTo: withoutForeignWords },
  },
  MessageEdited: {
    section: 'chats',
    author: 'editorId',
    fields: ['messageId', 'editorId'],
    ownFields: ['content'],
  },
  ReactionAdded: { section: 'chats', author: 'userId', fields: ['messageId', 'emoji', 'userId'] },
  ReactionRemoved: { section: 'chats', author: 'userId', fields: ['messageId', 'emoji', 'userId'] },
  GameStarted: {
    section: 'chats',
    author: 'initiatorId',
    fields: ['questionId', 'initiatorId'],
    ownFields: ['gameId'],
  },
  GameAnswered: {
    section: 'chats',
    author: 'userId',
    fields: ['userId'],
    ownFields: ['gameId', 'response'],
  },
  GameRevealed: {
    section: 'chats',
    fields: ['questionId'],
    // The client of either user may have chosen it.
    hiddenFields: ['gameId'],
    partial: { answers: ownElements('userId') },
  },
  GameIgnored: { section: 'chats', author: 'userId', fields: ['userId'], ownFields: ['gameId'] },
  ChatEnded: {
    section: 'chats',
    author: 'endedBy',
    fields: ['reason', 'endedBy'],
    asShown: toShownEnd,
  },
  BodiesExpired: { section: 'chats', fields: [] },

  PrivateMessageSent: {
    section: 'private',
    author: 'senderId',
    fields: ['messageId', 'senderId', 'receiverId', 'messageType', 'replyToId'],
    ownFields: ['clientId'],
    readableFields: ['content'],
  },
  PrivateMessageEdited: {
    section: 'private',
    author: 'senderId',
    fields: ['messageId', 'senderId'],
    readableFields: ['content'],
  },
  PrivateReactionAdded: {
    section: 'private',
    author: 'userId',
    fields: ['messageId', 'userId', 'emoji'],
    ownFields: ['attempt'],
  },
  PrivateReactionRemoved: {
    section: 'private',
    author: 'userId',
    fields: ['messageId', 'userId', 'emoji'],
    ownFields: ['attempt'],
  },
  PrivateMessageDeleted: { section: 'private', author: 'senderId', fields: ['messageId', 'senderId'] },

  PersonFlagged: exportConductFields('caseId', 'until', 'cause', 'noticeId'),
  FlagLifted: exportConductFields('noticeId'),
  // `inheritedFrom` is a sanction of another account.
  SanctionImposed: withHiddenFields(
    exportConductFields('sanctionId', 'noticeId', 'kind', 'rule', 'until', 'caseId', 'isAutomatic'),
    'inheritedFrom',
  ),
  SanctionConfirmed: withHiddenFields(exportConductFields('sanctionId', 'caseId', 'isSolo'), 'moderatorId'),
  // The reason is the text of the notice.
  SanctionLifted: withHiddenFields(
    exportConductFields('sanctionId', 'noticeId', 'cause', 'reason'),
    'moderatorId',
  ),
  AgeAsked: exportConductFields('noticeId', 'caseId'),
  AgeAnswered: { ...exportConductFields('noticeId', 'answer'), author: 'userId' },
  PersonWarned: exportConductFields('noticeId', 'caseId', 'rule'),
  CaseDecided: {
    ...withHiddenFields(
      exportConductFields('caseId', 'outcome', 'rule', 'facts'),
      'moderatorId',
      'reports',
      'note',
    ),
    // Users are not notified of reports that were dismissed.
    isLeftOut: ({ outcome }) => outcome === 'dismissed',
  },
  ReportFiled: {
    ...withHiddenFields(
      exportConductFields('reportId', 'category', 'context', 'words'),
      'caseId',
      'countsAs',
      'weight',
      'evidenceHash',
      'evidence',
    ),
    author: 'reporterId',
    isOwnOnly: true,
    ownFields: ['reporterId'],
  },
  AppealFiled: {
    ...exportConductFields('appealId', 'noticeId', 'words'),
    fieldsOfOwnStream: ['caseId'],
    author: 'appellantId',
    isOwnOnly: true,
    ownFields: ['appellantId'],
  },
  // Only answers to the user's own appeals are read from the log.
  AppealDecided: {
    ...withHiddenFields(
      exportConductFields('appealId', 'noticeId', 'answerNoticeId', 'outcome', 'isSolo', 'answer'),
      'moderatorId',
    ),
    fieldsOfOwnStream: ['caseId', 'sanctionId', 'until'],
  },
  CaseOpened: { leftOut: UNDECIDED },
  FindingRaised: { leftOut: UNDECIDED },
  CaseClaimed: { leftOut: INTERNAL },
  CaseReleased: { leftOut: INTERNAL },
  CaseEscalated: { leftOut: INTERNAL },
  CaseNoted: { leftOut: INTERNAL },
  HoldPlaced: { leftOut: INTERNAL },
  HoldLifted: { leftOut: INTERNAL },
  EvidenceExpired: { leftOut: 'Names reports about the user.' },

  ModeratorActed: {
    leftOut: 'The record of moderation, which concerns other users; moderators can read all of it.',
  },
  ImageBlocked: { leftOut: 'Concerns an image, not a user.' },
  ImageUnblocked: { leftOut: 'Concerns an image, not a user.' },
};

export const isExclusion = (rule: ExportRule | Exclusion): rule is Exclusion => 'leftOut' in rule;

/** The types of a section that are exported. */
export const listExportedTypes = (section: ExportSection): string[] =>
  Object.entries(exportedEvents).flatMap(([type, rule]) =>
    !isExclusion(rule) && rule.section === section ? [type] : [],
  );

/** Sections that leave out events whose number must not be known. */
const renumberedSections: readonly ExportSection[] = ['friends', 'conduct'];

export const isRenumbered = (section: ExportSection): boolean => renumberedSections.includes(section);

/** What a user gets of an event, or null if they get nothing. */
export const toExportedEvent = (event: ExportableEvent, userId: number): ExportEvent | null => {
  const rule = exportedEvents[event.type];
  // Types of a newer release are unknown, so nothing is known about whom they concern.
  if (!rule || isExclusion(rule)) return null;
  const author = rule.author === undefined ? null : event.data[rule.author];
  const isOwn = author === userId;
  if ((rule.isOwnOnly && !isOwn) || rule.isLeftOut?.(event.data, isOwn)) return null;
  const shown = rule.asShown ? { ...event, data: rule.asShown(event.data) } : event;
  const { data, omitted } = selectFields(shown, rule, { isOwn, userId });
  return {
    kind: 'event',
    section: rule.section,
    stream: event.streamId,
    position: event.position,
    at: event.occurredAt.toISOString(),
    type: event.type,
    by: isOwn ? 'me' : typeof author === 'number' ? 'other' : null,
    data,
    ...(omitted.length > 0 ? { omitted } : {}),
  };
};

const selectFields = (
  { data: given, streamId, isReadable }: ExportableEvent,
  rule: ExportRule,
  { isOwn, userId }: { isOwn: boolean; userId: number },
): { data: Data; omitted: string[] } => {
  const isOwnStream = streamId === `conduct-${userId}`;
  const allowed = new Set([
    ...rule.fields,
    ...(isOwn ? (rule.ownFields ?? []) : []),
    ...(isOwn || isReadable ? (rule.readableFields ?? []) : []),
    ...(isOwnStream ? (rule.fieldsOfOwnStream ?? []) : []),
    // Of events by one user, a part is only exported to that user.
    ...(isOwn || rule.author === undefined ? Object.keys(rule.partial ?? {}) : []),
  ]);
  const data: Data = {};
  const omitted: string[] = [];
  for (const [field, value] of Object.entries(given)) {
    const reduced = rule.partial?.[field]?.(value, userId) ?? value;
    if (allowed.has(field)) data[field] = reduced;
    if (!allowed.has(field) || JSON.stringify(reduced) !== JSON.stringify(value)) omitted.push(field);
  }
  return { data, omitted };
};
