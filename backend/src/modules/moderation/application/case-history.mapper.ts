import type { CaseHistoryEntry } from '@thaw/contract/moderation';

/** A stored event of a user's conduct stream. Its `data` is JSON without a type; erased fields are absent. */
interface StoredConductEvent {
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/**
 * Builds the history of one case, oldest entry first, from all events of the user's conduct stream. The history omits
 * reports and claims, which the response has in other fields, and `PersonWarned`, because the decision with the outcome
 * `warned` has an entry already.
 */
export const toCaseHistory = (caseId: number, events: readonly StoredConductEvent[]): CaseHistoryEntry[] => {
  const eventsOfCase = selectEventsOfCase(caseId, events);
  const decidedAppealIds = new Set(
    eventsOfCase.filter(({ type }) => type === 'AppealDecided').map(({ data }) => data.appealId),
  );
  // The entries are `unknown` until this cast, because the data of the events has no type.
  return eventsOfCase.flatMap((event) => toEntries(event, decidedAppealIds)) as CaseHistoryEntry[];
};

/** Selects the events of a case, including those that do not name their case. */
const selectEventsOfCase = (caseId: number, events: readonly StoredConductEvent[]): StoredConductEvent[] => {
  const caseIdBySanctionId = new Map<unknown, unknown>();
  let caseIdOfLastFlag: unknown = null;
  const findCaseId = ({ type, data }: StoredConductEvent): unknown => {
    switch (type) {
      case 'SanctionConfirmed':
      case 'SanctionLifted':
        return caseIdBySanctionId.get(data.sanctionId);
      case 'FlagLifted':
        return caseIdOfLastFlag;
      default:
        return data.caseId;
    }
  };
  const selected: StoredConductEvent[] = [];
  for (const event of events) {
    const { type, data } = event;
    if (type === 'SanctionImposed') caseIdBySanctionId.set(data.sanctionId, data.caseId);
    if (type === 'PersonFlagged') caseIdOfLastFlag = data.caseId;
    if (findCaseId(event) === caseId) selected.push(event);
  }
  return selected;
};

/** The entries for an event of the case: none, one, or, for a decision with a note, two. */
const toEntries = (
  { type, at: occurredAt, data }: StoredConductEvent,
  decidedAppealIds: ReadonlySet<unknown>,
): unknown[] => {
  const at = occurredAt.toISOString();
  switch (type) {
    case 'CaseOpened':
      return [{ kind: 'opened', at }];
    case 'CaseNoted':
      return [{ kind: 'note', at, ...pick(data, 'moderatorId', 'text') }];
    case 'CaseEscalated':
      return [{ kind: 'escalated', at, ...pick(data, 'moderatorId', 'reason') }];
    case 'CaseDecided':
      return toDecisionEntries(at, data);
    case 'SanctionImposed': {
      const fields = pick(data, 'sanctionId', 'rule', 'until', 'isAutomatic', 'inheritedFrom');
      return [{ kind: 'sanction', at, ...fields, sanction: data.kind }]; // `kind` is the kind of the entry
    }
    case 'SanctionConfirmed':
      return [{ kind: 'confirmed', at, ...pick(data, 'sanctionId', 'moderatorId') }];
    case 'SanctionLifted':
      return [{ kind: 'lifted', at, ...pick(data, 'sanctionId', 'cause') }];
    // A flagged user is matched only with other flagged users.
    case 'PersonFlagged':
      return [{ kind: 'flagged', at, ...pick(data, 'until', 'cause') }];
    case 'FlagLifted':
      return [{ kind: 'flag_lifted', at }];
    case 'AppealFiled': {
      const state = decidedAppealIds.has(data.appealId) ? 'decided' : 'open';
      const fields = pick(data, 'appealId', 'noticeId', 'appellantId', 'words');
      return [{ kind: 'appeal', at, ...fields, state }];
    }
    case 'AppealDecided': {
      const fields = pick(data, 'appealId', 'moderatorId', 'outcome', 'until', 'answer');
      return [{ kind: 'appeal_decided', at, ...fields }];
    }
    default:
      return [];
  }
};

/** A decision, and its note as an entry of its own. An automatic decision has no moderator and no note. */
const toDecisionEntries = (at: string, data: Record<string, unknown>): unknown[] => {
  const decision = { kind: 'decision', at, ...pick(data, 'moderatorId', 'outcome', 'rule', 'facts') };
  const { moderatorId, note } = data;
  const hasModeratorsNote = typeof moderatorId === 'number' && typeof note === 'string';
  return hasModeratorsNote ? [decision, { kind: 'note', at, moderatorId, text: note }] : [decision];
};

/** Copies the named fields; a field that is absent becomes null. */
const pick = (data: Record<string, unknown>, ...fields: string[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, data[field] ?? null]));
