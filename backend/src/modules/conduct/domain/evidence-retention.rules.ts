import type { ConductEvent } from './conduct.events';

const DAY_MS = 24 * 60 * 60_000;
/** A legal hold by a moderator protects a user's data from erasure for at least this long, even if lifted earlier. */
const LEGAL_HOLD_MIN_MS = 365 * DAY_MS;

export interface RetentionPolicy {
  /** How long evidence is kept after a dismissal, or after the end of the reported chat if the chat ends later. */
  evidenceMinKeptMs: number;
  /** How long a decision can be appealed. A decision other than a dismissal keeps the evidence for this long. */
  appealWithinMs: number;
}

// Times below are in ms since 1970. Infinity stands for a time that is not known yet, or that never comes.

interface AppealRecord {
  filedAt: number;
  /** Infinity while the appeal is open. */
  decidedAt: number;
}

interface CaseRecord {
  caseId: number;
  /** Null while the case is open, also when it was opened again. */
  decision: { decidedAt: number; isDismissal: boolean } | null;
  /** The ends of the case's sanctions, by sanction id; Infinity for a ban. */
  sanctionEnds: Map<number, number>;
  /** By appeal id, in the order of filing. */
  appeals: Map<number, AppealRecord>;
  /** The random chats that were reported. */
  sessionIds: Set<string>;
}

/**
 * An event with personal data. `evidence` is what moderators decide from. A `statement` is a text that explains a
 * decision or disputes it, so it is kept as long as the decision has effects.
 */
interface PersonalItem {
  eventId: string;
  recordedAt: number;
  caseId: number | null;
  kind: 'evidence' | 'statement';
}

interface Records {
  cases: Map<number, CaseRecord>;
  items: PersonalItem[];
  holds: LegalHold[];
}

interface LegalHold {
  placedAt: number;
  /** Infinity while the hold is in force. */
  liftedAt: number;
}

/**
 * Computes when the personal data in a user's conduct stream expires. The result depends only on the stream and the
 * ends of chats, so that a rebuild of the read models computes the same times.
 * @param events all events of the stream, oldest first
 * @param chatEnds when the reported random chats ended, by session id; chats that have not ended are absent
 * @returns the expiry by event id; null while an open case or appeal, a sanction without an end, or a hold keeps the
 *   data
 */
export const computeExpiryTimes = (
  events: readonly ConductEvent[],
  chatEnds: ReadonlyMap<string, Date>,
  policy: RetentionPolicy,
): ReadonlyMap<string, Date | null> => {
  const records: Records = { cases: new Map(), items: [], holds: [] };
  for (const event of events) addEvent(records, event);
  return new Map(
    records.items.map((item) => {
      const expiresAt = Math.max(
        computeExpiryWithoutHolds(item, records.cases, chatEnds, policy),
        ...listHoldEnds(item, records.holds),
      );
      return [item.eventId, Number.isFinite(expiresAt) ? new Date(expiresAt) : null];
    }),
  );
};

/** Adds to the records what an event says about the expiry of the stream's personal data. */
const addEvent = ({ cases, items, holds }: Records, event: ConductEvent): void => {
  const { eventId } = event;
  const occurredAt = event.occurredAt.getTime();
  const addItem = (kind: PersonalItem['kind'], caseId: number | null) =>
    items.push({ eventId, recordedAt: occurredAt, caseId, kind });
  switch (event.type) {
    case 'CaseOpened':
      getOrAddCase(cases, event.data.caseId).decision = null;
      return;
    case 'ReportFiled': {
      const { caseId, context } = event.data;
      if (context.where === 'random_chat') getOrAddCase(cases, caseId).sessionIds.add(context.sessionId);
      addItem('evidence', caseId);
      return;
    }
    case 'FindingRaised':
    case 'CaseNoted':
    case 'CaseEscalated':
      addItem('evidence', event.data.caseId);
      return;
    case 'CaseDecided': {
      const { caseId, outcome } = event.data;
      const decidedCase = getOrAddCase(cases, caseId);
      decidedCase.decision = { decidedAt: occurredAt, isDismissal: outcome === 'dismissed' };
      // A dismissal is not explained to the user. It has only a note for moderators, which expires with the evidence.
      addItem(outcome === 'dismissed' ? 'evidence' : 'statement', caseId);
      return;
    }
    case 'SanctionImposed': {
      const { caseId, sanctionId, until } = event.data;
      if (caseId !== null) getOrAddCase(cases, caseId).sanctionEnds.set(sanctionId, toEndMs(until));
      return;
    }
    case 'SanctionLifted': {
      const { sanctionId } = event.data;
      const sanctionedCase = [...cases.values()].find(({ sanctionEnds }) => sanctionEnds.has(sanctionId));
      if (sanctionedCase) endSanction(sanctionedCase, sanctionId, occurredAt);
      addItem('statement', sanctionedCase?.caseId ?? null);
      return;
    }
    case 'AppealFiled': {
      const { caseId, appealId } = event.data;
      getOrAddCase(cases, caseId).appeals.set(appealId, { filedAt: occurredAt, decidedAt: Infinity });
      addItem('statement', caseId);
      return;
    }
    case 'AppealDecided': {
      const { caseId, appealId, sanctionId, until } = event.data;
      const appealedCase = getOrAddCase(cases, caseId);
      const appeal = appealedCase.appeals.get(appealId);
      if (appeal) appeal.decidedAt = occurredAt;
      // `until` is the new end of a reduced sanction. An appeal that lifts a sanction also has a `SanctionLifted`.
      if (sanctionId !== null && until !== null) appealedCase.sanctionEnds.set(sanctionId, toEndMs(until));
      addItem('statement', caseId);
      return;
    }
    case 'HoldPlaced':
      holds.push({ placedAt: occurredAt, liftedAt: Infinity });
      addItem('statement', null);
      return;
    case 'HoldLifted':
      // A hold that was lifted earlier keeps its end.
      for (const hold of holds) hold.liftedAt = Math.min(hold.liftedAt, occurredAt);
      addItem('statement', null);
      return;
    default:
    // The other events have no personal data, and do not change its expiry.
  }
};

const getOrAddCase = (cases: Map<number, CaseRecord>, caseId: number): CaseRecord => {
  const known = cases.get(caseId);
  if (known) return known;
  const added: CaseRecord = {
    caseId,
    decision: null,
    sanctionEnds: new Map(),
    appeals: new Map(),
    sessionIds: new Set(),
  };
  cases.set(caseId, added);
  return added;
};

const toEndMs = (until: string | null): number => (until === null ? Infinity : Date.parse(until));

/** Ends a sanction. If it has already ended, it keeps its end. */
const endSanction = ({ sanctionEnds }: CaseRecord, sanctionId: number, endedAt: number): void => {
  sanctionEnds.set(sanctionId, Math.min(endedAt, sanctionEnds.get(sanctionId) ?? Infinity));
};

/** Lists until when legal holds keep an item. A hold also keeps items that are recorded while it is in force. */
const listHoldEnds = ({ recordedAt }: PersonalItem, holds: readonly LegalHold[]): number[] =>
  holds
    .filter(({ liftedAt }) => recordedAt <= liftedAt)
    .map(({ placedAt, liftedAt }) => Math.max(liftedAt, placedAt + LEGAL_HOLD_MIN_MS));

/** Computes the expiry of an event's personal data as if no legal hold had been placed. */
const computeExpiryWithoutHolds = (
  { recordedAt, caseId, kind }: PersonalItem,
  cases: ReadonlyMap<number, CaseRecord>,
  chatEnds: ReadonlyMap<string, Date>,
  policy: RetentionPolicy,
): number => {
  const caseRecord = caseId === null ? undefined : cases.get(caseId);
  // The statement of a legal hold, or of a sanction without a case.
  if (!caseRecord) return recordedAt + policy.appealWithinMs;
  const evidenceExpiry = computeEvidenceExpiry(caseRecord, chatEnds, policy);
  if (kind === 'evidence') return evidenceExpiry;
  const hasOpenAppeal = [...caseRecord.appeals.values()].some(({ decidedAt }) => decidedAt === Infinity);
  if (hasOpenAppeal) return Infinity;
  const lastSanctionEnd = Math.max(recordedAt, ...caseRecord.sanctionEnds.values());
  return Math.max(evidenceExpiry, lastSanctionEnd + policy.appealWithinMs);
};

const computeEvidenceExpiry = (
  { decision, appeals, sessionIds }: CaseRecord,
  chatEnds: ReadonlyMap<string, Date>,
  { evidenceMinKeptMs, appealWithinMs }: RetentionPolicy,
): number => {
  if (!decision) return Infinity;
  const { decidedAt, isDismissal } = decision;
  // A chat that continues counts as ended at the decision. When it ends, `createEvidenceExpiryProjection` computes the
  // expiry again.
  const ends = [...sessionIds].map((sessionId) => chatEnds.get(sessionId)?.getTime() ?? decidedAt);
  let expiry = isDismissal ? Math.max(decidedAt, ...ends) + evidenceMinKeptMs : decidedAt + appealWithinMs;
  // After the answer to an appeal against a dismissal, the evidence is kept for the minimum again.
  const keptAfterAnswerMs = isDismissal ? evidenceMinKeptMs : 0;
  for (const appeal of appeals.values()) {
    // The evidence had expired before this appeal was filed, so the appeal does not keep it.
    if (appeal.filedAt > expiry) continue;
    expiry = Math.max(expiry, appeal.decidedAt + keptAfterAnswerMs);
  }
  return expiry;
};
