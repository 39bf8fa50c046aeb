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
  const sanctionIds = new Set(
    events
      .filter(({ type, data }) => type === 'SanctionImposed' && data.caseId === caseId)
      .map(getSanctionId),
  );
  const decidedAppealIds = new Set(
    events.filter(({ type }) => type === 'AppealDecided').map(({ data }) => data.appealId),
  );
  // The case of the last flag. A flagged user is matched only with other flagged users. FlagLifted has no case id: it
  // ends the last flag.
  let flaggingCaseId: unknown = null;
  // The entries are `unknown` until the cast at the end, because `data` has no type.
  return events.flatMap((event): unknown[] => {
    const { type, data } = event;
    const at = event.at.toISOString();
    const isOfCase = data.caseId === caseId;
    switch (type) {
      case 'CaseOpened':
        return isOfCase ? [{ kind: 'opened', at }] : [];
      case 'CaseNoted':
        return isOfCase ? [toNoteEntry(at, data.moderatorId, data.text)] : [];
      case 'CaseEscalated':
        return isOfCase
          ? [{ kind: 'escalated', at, moderatorId: data.moderatorId, reason: data.reason ?? null }]
          : [];
      case 'CaseDecided':
        return isOfCase ? toDecisionEntries(at, data) : [];
      case 'SanctionImposed':
        return isOfCase
          ? [
              {
                kind: 'sanction',
                at,
                ...pick(data, 'sanctionId', 'rule', 'until', 'isAutomatic', 'inheritedFrom'),
                sanction: data.kind, // the field `kind` is the kind of the entry
              },
            ]
          : [];
      case 'SanctionConfirmed':
        return sanctionIds.has(getSanctionId(event))
          ? [{ kind: 'confirmed', at, ...pick(data, 'sanctionId', 'moderatorId') }]
          : [];
      case 'SanctionLifted':
        return sanctionIds.has(getSanctionId(event))
          ? [{ kind: 'lifted', at, ...pick(data, 'sanctionId', 'cause') }]
          : [];
      case 'PersonFlagged':
        flaggingCaseId = data.caseId;
        return isOfCase ? [{ kind: 'flagged', at, ...pick(data, 'until', 'cause') }] : [];
      case 'FlagLifted':
        return flaggingCaseId === caseId ? [{ kind: 'flag_lifted', at }] : [];
      case 'AppealFiled': {
        const state = decidedAppealIds.has(data.appealId) ? 'decided' : 'open';
        const fields = pick(data, 'appealId', 'noticeId', 'appellantId', 'words');
        return isOfCase ? [{ kind: 'appeal', at, ...fields, state }] : [];
      }
      case 'AppealDecided': {
        const fields = pick(data, 'appealId', 'moderatorId', 'outcome', 'until', 'answer');
        return isOfCase ? [{ kind: 'appeal_decided', at, ...fields }] : [];
      }
      default:
        return [];
    }
  }) as CaseHistoryEntry[];
};

const getSanctionId = ({ data }: StoredConductEvent): unknown => data.sanctionId;

/** Copies the named fields; a field that is absent becomes null. */
const pick = (data: Record<string, unknown>, ...fields: string[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, data[field] ?? null]));

const toNoteEntry = (at: string, moderatorId: unknown, text: unknown) => ({
  kind: 'note',
  at,
  moderatorId,
  text: text ?? null,
});

/** A decision, and its note as an entry of its own. An automatic decision has no moderator and no note. */
const toDecisionEntries = (at: string, data: Record<string, unknown>): unknown[] => {
  const decision = { kind: 'decision', at, ...pick(data, 'moderatorId', 'outcome', 'rule', 'facts') };
  const hasNote = typeof data.note === 'string' && typeof data.moderatorId === 'number';
  return hasNote ? [decision, toNoteEntry(at, data.moderatorId, data.note)] : [decision];
};
