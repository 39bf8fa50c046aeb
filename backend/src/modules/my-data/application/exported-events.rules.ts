import type { ExportEvent, ExportSection } from '@thaw/contract/my-data-export';
import { buildConductStreamId } from '../../standings/domain/standing.events';

type EventData = Record<string, unknown>;

/** A stored event, from a stream that the export of a user reads. */
export interface ExportableEvent {
  streamId: string;
  position: number;
  type: string;
  occurredAt: Date;
  data: EventData;
  /** Whether the event has the current text of a private message that the user can read today. */
  isReadable: boolean;
}

/**
 * How an event type is exported. A field that is in none of the lists is left out. The export names the fields that are
 * left out or shortened in `omitted`.
 */
export interface ExportRule {
  section: ExportSection;
  /** The field with the id of the user who acted. Absent if the service or a moderator acts. */
  author?: string;
  /** The event is exported only to its author. */
  isOwnOnly?: true;
  /** Exported no matter which user acted. */
  fields: readonly string[];
  /** Exported if the user acted. */
  ownFields?: readonly string[];
  /** Exported if the user acted, or can read the message today. */
  readableFields?: readonly string[];
  /**
   * Exported only if the event is in the stream about the user's own conduct, `conduct-<user id>`. The user's reports,
   * and appeals about them, are in the stream of the user who was reported.
   */
  fieldsOfOwnStream?: readonly string[];
  /** Never exported. Listed because a test requires a rule for each field. */
  hiddenFields?: readonly string[];
  /**
   * Fields of which the user gets only a part, which the function returns; undefined for no part. If the rule has an
   * `author`, only the author gets a part.
   */
  partialFields?: Readonly<Record<string, (value: unknown, userId: number, data: EventData) => unknown>>;
  /** Converts the data to what the user saw. Fields that it drops are not named in `omitted`. */
  asShown?: (data: EventData) => EventData;
  /** Whether an event with this data is left out. `isOwn`: the user acted. */
  isLeftOut?: (data: EventData, isOwn: boolean) => boolean;
}

/** A type of which no event is exported, and the reason. */
export interface Exclusion {
  leftOut: string;
}

const createAccountRule = (...fields: string[]): ExportRule => ({
  section: 'account',
  author: 'userId',
  fields: ['userId', ...fields],
});
const createFriendRequestRule = (author: 'requesterId' | 'addresseeId'): ExportRule => ({
  section: 'friends',
  author,
  fields: ['requestId', 'requesterId', 'addresseeId'],
});
const createConductRule = (...fields: string[]): ExportRule => ({
  section: 'conduct',
  fields: ['userId', ...fields],
});

// Reasons why events are not exported.
const GONE = 'The account is gone, and nothing can be exported.';
const UNDECIDED = 'Would disclose a report before its decision. Decisions are exported.';
const INTERNAL = 'How moderators work on a case.';

/** Keeps only those objects of an array that belong to the user. */
const keepOwnElements =
  (idField: string) =>
  (value: unknown, userId: number): unknown =>
    Array.isArray(value) ? value.filter((element: EventData) => element[idField] === userId) : value;

/** Keeps a quoted message of the user. Reduces one of another user to its id and its sender. */
const keepOwnQuote = (value: unknown, userId: number): unknown => {
  if (value === null || typeof value !== 'object') return value;
  const { messageId, senderId } = value as EventData;
  return senderId === userId ? value : { messageId, senderId };
};

/** Users read why a ban was not confirmed. All other reasons for lifting a sanction are for moderators. */
const keepReasonOfNotice = (reason: unknown, _userId: number, { cause }: EventData): unknown =>
  reason === null || cause === 'not_confirmed' ? reason : undefined;

/**
 * A chat that ended because a user stated an age under 18 looks to its users like a lost connection. `finding` refers
 * to the statement.
 */
const toShownEnd = ({ finding: _, reason, ...data }: EventData): EventData => ({
  ...data,
  reason: reason === 'removed' ? 'disconnected' : reason,
});

/** Every event type of the log: how it is exported, or why not (docs/my-data.md). */
export const exportedEvents: Readonly<Record<string, ExportRule | Exclusion>> = {
  UserRegistered: createAccountRule('username', 'email'),
  AnonymousUserStarted: createAccountRule('username'),
  GenderChosen: createAccountRule('gender'),
  ProfileChanged: createAccountRule('username', 'avatar'),
  AccountConverted: createAccountRule('email'),
  EmailChanged: createAccountRule('email'),
  ModeratorAppointed: { section: 'account', fields: ['userId'] },
  ModeratorDismissed: { section: 'account', fields: ['userId'] },
  ErasureRequested: { leftOut: GONE },
  PersonErased: { leftOut: GONE },

  FriendRequestSent: {
    ...createFriendRequestRule('requesterId'),
    // The addressee never sees a hidden request, and the requester does not know that it is hidden.
    asShown: ({ isHidden: _, ...data }) => data,
    isLeftOut: ({ isHidden }, isOwn) => isHidden === true && !isOwn,
  },
  FriendRequestAccepted: createFriendRequestRule('addresseeId'),
  // The requester is not notified of a decline.
  FriendRequestDeclined: { ...createFriendRequestRule('addresseeId'), isOwnOnly: true },
  FriendRequestVoided: { leftOut: 'Would tell the user that the other one has blocked them.' },
  FriendshipRemoved: { section: 'friends', author: 'removedBy', fields: ['removedBy', 'removedFriendId'] },

  PersonBlocked: { section: 'blocks', author: 'blockerId', fields: ['blockerId', 'blockedId'] },
  PersonUnblocked: { section: 'blocks', author: 'blockerId', fields: ['blockerId', 'blockedId'] },

  ChatStarted: {
    section: 'chats',
    fields: ['userIds'],
    // The name and the avatar of the partner are left out.
    partialFields: { participants: keepOwnElements('id') },
  },
  MessageSent: {
    section: 'chats',
    author: 'senderId',
    fields: ['messageId', 'senderId', 'messageType'],
    ownFields: ['content', 'clientId'],
    partialFields: { replyTo: keepOwnQuote },
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
    // The client of the initiator chooses this string. If the partner is the initiator, it may contain their words.
    hiddenFields: ['gameId'],
    partialFields: { answers: keepOwnElements('userId') },
  },
  GameIgnored: { section: 'chats', author: 'userId', fields: ['userId'], ownFields: ['gameId'] },
  ChatEnded: {
    section: 'chats',
    author: 'endedBy',
    fields: ['reason', 'endedBy'],
    asShown: toShownEnd,
  },
  // The contents of the messages were erased. The event has no fields.
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
  // `attempt` is a hash of the `ref` that the client gave the frame. It identifies retries, which repeat the `ref`.
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

  // A flagged user is matched only with other flagged users.
  PersonFlagged: createConductRule('caseId', 'until', 'cause', 'noticeId'),
  FlagLifted: createConductRule('noticeId'),
  // `inheritedFrom` is hidden, because it is a sanction of another account.
  SanctionImposed: {
    ...createConductRule('sanctionId', 'noticeId', 'kind', 'rule', 'until', 'caseId', 'isAutomatic'),
    hiddenFields: ['inheritedFrom'],
  },
  // `isSolo`: whether the reviewer also made the decision, because there is no other moderator.
  SanctionConfirmed: {
    ...createConductRule('sanctionId', 'caseId', 'isSolo'),
    hiddenFields: ['moderatorId'],
  },
  SanctionLifted: {
    ...createConductRule('sanctionId', 'noticeId', 'cause'),
    partialFields: { reason: keepReasonOfNotice },
    hiddenFields: ['moderatorId'],
  },
  AgeAsked: createConductRule('noticeId', 'caseId'),
  AgeAnswered: { ...createConductRule('noticeId', 'answer'), author: 'userId' },
  PersonWarned: createConductRule('noticeId', 'caseId', 'rule'),
  CaseDecided: {
    ...createConductRule('caseId', 'outcome', 'rule', 'facts'),
    hiddenFields: ['moderatorId', 'reports', 'note'],
    // Users are not notified of reports that were dismissed.
    isLeftOut: ({ outcome }) => outcome === 'dismissed',
  },
  // How much a report counts, and what it is based on, is for moderators only.
  ReportFiled: {
    ...createConductRule('reportId', 'reporterId', 'category', 'context', 'words'),
    hiddenFields: ['caseId', 'countsAs', 'weight', 'evidenceHash', 'evidence'],
    author: 'reporterId',
    isOwnOnly: true,
  },
  AppealFiled: {
    ...createConductRule('appealId', 'noticeId', 'appellantId', 'words'),
    fieldsOfOwnStream: ['caseId'],
    author: 'appellantId',
    isOwnOnly: true,
  },
  // `ExportRepository` reads only the decisions on the user's own appeals.
  AppealDecided: {
    ...createConductRule('appealId', 'noticeId', 'answerNoticeId', 'outcome', 'isSolo', 'answer'),
    hiddenFields: ['moderatorId'],
    fieldsOfOwnStream: ['caseId', 'sanctionId', 'until'],
  },
  CaseOpened: { leftOut: UNDECIDED },
  // A finding is what the service detects without a report, for example a stated age under 18.
  FindingRaised: { leftOut: UNDECIDED },
  CaseClaimed: { leftOut: INTERNAL },
  CaseReleased: { leftOut: INTERNAL },
  CaseEscalated: { leftOut: INTERNAL },
  CaseNoted: { leftOut: INTERNAL },
  // A hold keeps data from being erased.
  HoldPlaced: { leftOut: INTERNAL },
  HoldLifted: { leftOut: INTERNAL },
  EvidenceExpired: { leftOut: 'Names reports about the user.' },

  ModeratorActed: {
    leftOut: 'Concerns the users that a moderator acted on. Moderators can read all of it in their tool.',
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

/** Sections in which gaps between the positions would disclose how many events were left out. */
const renumberedSections: readonly ExportSection[] = ['friends', 'conduct'];

/** Whether the exported events of a section get new positions without gaps. */
export const isRenumbered = (section: ExportSection): boolean => renumberedSections.includes(section);

/** Converts an event to its export for a user. @returns null if the user does not get the event. */
export const toExportedEvent = (event: ExportableEvent, userId: number): ExportEvent | null => {
  const rule = exportedEvents[event.type];
  // A type without a rule is from a newer release. It is not known whom such an event concerns.
  if (!rule || isExclusion(rule)) return null;
  const by = determineActor(event, rule, userId);
  const isOwn = by === 'me';
  if ((rule.isOwnOnly && !isOwn) || rule.isLeftOut?.(event.data, isOwn)) return null;
  const shownEvent = rule.asShown ? { ...event, data: rule.asShown(event.data) } : event;
  const { data, omitted } = selectFields(shownEvent, rule, { isOwn, userId });
  return {
    kind: 'event',
    section: rule.section,
    stream: event.streamId,
    position: event.position,
    at: event.occurredAt.toISOString(),
    type: event.type,
    by,
    data,
    ...(omitted.length > 0 ? { omitted } : {}),
  };
};

const determineActor = (
  { data }: ExportableEvent,
  { author }: ExportRule,
  userId: number,
): ExportEvent['by'] => {
  const authorId = author === undefined ? null : data[author];
  if (authorId === userId) return 'me';
  return typeof authorId === 'number' ? 'other' : null;
};

/** The user whose data is exported. `isOwn`: they acted. */
interface Recipient {
  userId: number;
  isOwn: boolean;
}

const selectFields = (
  event: ExportableEvent,
  rule: ExportRule,
  recipient: Recipient,
): { data: EventData; omitted: string[] } => {
  const allowed = listAllowedFields(event, rule, recipient);
  const data: EventData = {};
  const omitted: string[] = [];
  for (const [field, value] of Object.entries(event.data)) {
    if (!allowed.has(field)) {
      omitted.push(field);
      continue;
    }
    const takePart = rule.partialFields?.[field];
    const exported = takePart ? takePart(value, recipient.userId, event.data) : value;
    data[field] = exported;
    const isShortened = JSON.stringify(exported) !== JSON.stringify(value);
    if (isShortened) omitted.push(field);
  }
  return { data, omitted };
};

/** Names of the fields that are exported, completely or in part. */
const listAllowedFields = (
  { streamId, isReadable }: ExportableEvent,
  rule: ExportRule,
  { isOwn, userId }: Recipient,
): ReadonlySet<string> => {
  const isOwnStream = streamId === buildConductStreamId(userId);
  const getsPartialFields = isOwn || rule.author === undefined;
  return new Set([
    ...rule.fields,
    ...(isOwn ? (rule.ownFields ?? []) : []),
    ...(isOwn || isReadable ? (rule.readableFields ?? []) : []),
    ...(isOwnStream ? (rule.fieldsOfOwnStream ?? []) : []),
    ...(getsPartialFields ? Object.keys(rule.partialFields ?? {}) : []),
  ]);
};
