import type { ConductEvent } from './conduct.events';

const DAY_MS = 24 * 60 * 60_000;
/** Data under a legal hold is kept for at least this long. */
const HELD_MIN_MS = 365 * DAY_MS;

export interface RetentionPolicy {
  /** How long evidence is kept after a dismissal, and after the end of the chat. */
  evidenceMinKeptMs: number;
  /** How long a decision can be appealed. */
  appealWithinMs: number;
}

interface Appeal {
  filedAt: number;
  decidedAt: number | null;
}

interface CaseRecord {
  isOpen: boolean;
  decision: { at: number; isDismissal: boolean } | null;
  /** By id. Infinity without an end. */
  sanctionEnds: Map<number, number>;
  /** By id. */
  appeals: Map<number, Appeal>;
  /** Random chats that were reported. */
  sessionIds: Set<string>;
}

/** An event with personal data. `evidence` is kept for the decision, a `statement` for those who receive it. */
interface Item {
  eventId: string;
  at: number;
  caseId: number | null;
  kind: 'evidence' | 'statement';
}

interface Records {
  cases: Map<number, CaseRecord>;
  items: Item[];
  /** Of holds that were placed; `liftedAt` is Infinity while one is in force. */
  holds: { placedAt: number; liftedAt: number }[];
}

/**
 * When the personal data of a user's conduct expires, by event id; null as long as it is kept. A function of the whole
 * stream, so that each computation gives the same result, also in a rebuild.
 * @param chatEnds when the reported random chats ended, by session id; chats that have not ended are absent.
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
      const usual = computeUsualExpiry(item, records.cases, chatEnds, policy);
      const heldUntil = records.holds
        .filter(({ liftedAt }) => item.at <= liftedAt)
        .map(({ placedAt, liftedAt }) => Math.max(liftedAt, placedAt + HELD_MIN_MS));
      const expiresAt = Math.max(usual, ...heldUntil);
      return [item.eventId, Number.isFinite(expiresAt) ? new Date(expiresAt) : null];
    }),
  );
};

const addEvent = ({ cases, items, holds }: Records, event: ConductEvent): void => {
  const { eventId } = event;
  const at = event.occurredAt.getTime();
  const addItem = (kind: Item['kind'], caseId: number | null) => items.push({ eventId, at, caseId, kind });
  switch (event.type) {
    case 'CaseOpened':
      getOrAddCase(cases, event.data.caseId).isOpen = true;
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
      const decided = getOrAddCase(cases, caseId);
      decided.isOpen = false;
      decided.decision = { at, isDismissal: outcome === 'dismissed' };
      // A dismissal states no facts; its note goes with the evidence.
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
      const [caseId = null, sanctioned] =
        [...cases].find(([, { sanctionEnds }]) => sanctionEnds.has(sanctionId)) ?? [];
      sanctioned?.sanctionEnds.set(sanctionId, Math.min(at, sanctioned.sanctionEnds.get(sanctionId) ?? at));
      addItem('statement', caseId);
      return;
    }
    case 'AppealFiled': {
      const { caseId, appealId } = event.data;
      getOrAddCase(cases, caseId).appeals.set(appealId, { filedAt: at, decidedAt: null });
      addItem('statement', caseId);
      return;
    }
    case 'AppealDecided': {
      const { caseId, appealId, sanctionId, until } = event.data;
      const appealed = getOrAddCase(cases, caseId);
      const appeal = appealed.appeals.get(appealId);
      if (appeal) appeal.decidedAt = at;
      if (sanctionId !== null && until !== null) appealed.sanctionEnds.set(sanctionId, toEndMs(until));
      addItem('statement', caseId);
      return;
    }
    case 'HoldPlaced':
      holds.push({ placedAt: at, liftedAt: Infinity });
      addItem('statement', null);
      return;
    case 'HoldLifted': {
      for (const hold of holds) hold.liftedAt = Math.min(hold.liftedAt, at);
      addItem('statement', null);
      return;
    }
    default:
  }
};

const getOrAddCase = (cases: Map<number, CaseRecord>, caseId: number): CaseRecord => {
  const known = cases.get(caseId);
  if (known) return known;
  const added: CaseRecord = {
    isOpen: true,
    decision: null,
    sanctionEnds: new Map(),
    appeals: new Map(),
    sessionIds: new Set(),
  };
  cases.set(caseId, added);
  return added;
};

const toEndMs = (until: string | null): number => (until === null ? Infinity : Date.parse(until));

/** Infinity as long as the data is kept. */
const computeUsualExpiry = (
  { at, caseId, kind }: Item,
  cases: ReadonlyMap<number, CaseRecord>,
  chatEnds: ReadonlyMap<string, Date>,
  policy: RetentionPolicy,
): number => {
  const caseRecord = caseId === null ? undefined : cases.get(caseId);
  if (!caseRecord) return at + policy.appealWithinMs;
  const evidenceExpiry = computeEvidenceExpiry(caseRecord, chatEnds, policy);
  if (kind === 'evidence') return evidenceExpiry;
  if ([...caseRecord.appeals.values()].some(({ decidedAt }) => decidedAt === null)) return Infinity;
  const sanctionEnd = Math.max(at, ...caseRecord.sanctionEnds.values());
  return Math.max(evidenceExpiry, sanctionEnd + policy.appealWithinMs);
};

const computeEvidenceExpiry = (
  { isOpen, decision, appeals, sessionIds }: CaseRecord,
  chatEnds: ReadonlyMap<string, Date>,
  { evidenceMinKeptMs, appealWithinMs }: RetentionPolicy,
): number => {
  if (isOpen || !decision) return Infinity;
  const { at, isDismissal } = decision;
  const ends = [...sessionIds].map((sessionId) => chatEnds.get(sessionId)?.getTime() ?? at);
  let expiry = isDismissal ? Math.max(at, ...ends) + evidenceMinKeptMs : at + appealWithinMs;
  for (const { filedAt, decidedAt } of appeals.values()) {
    // The evidence had expired before this appeal, which cannot keep it any longer.
    if (filedAt > expiry) continue;
    expiry = Math.max(
      expiry,
      decidedAt === null ? Infinity : decidedAt + (isDismissal ? evidenceMinKeptMs : 0),
    );
  }
  return expiry;
};
