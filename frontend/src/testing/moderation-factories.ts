import {
  type CaseItem,
  type Evidence,
  type EvidenceMessage,
  type ModeratedPerson,
  type ModerationCase,
} from '@thaw/contract/moderation';
import { goodStanding } from '@thaw/contract/standing';

// By default user 9 is reported by user 21.

/** An entry of the moderators' queue: by default an open case with two reports about sexual messages. */
export const aCaseItem = (changes: Partial<CaseItem> = {}): CaseItem => ({
  id: 8,
  state: 'open',
  version: 5,
  // The sum of `urgencyParts` in `aCase`.
  urgency: 340,
  userId: 9,
  username: 'brave-heron-7',
  isAnonymous: true,
  categories: { sexual: 2 },
  reporters: 2,
  // The user's sanctions from other cases.
  priors: 0,
  isAutomatic: false,
  kind: 'reports',
  openedAt: '2026-11-20T21:04:30.000Z',
  standing: 'good',
  claimedBy: null,
  claimedUntil: null,
  ...changes,
});

/** A message of the reported user. */
export const anEvidenceMessage = (changes: Partial<EvidenceMessage> = {}): EvidenceMessage => ({
  id: '1763640000000-0',
  senderId: 9,
  at: '2026-11-20T21:00:00.000Z',
  type: 'text',
  versions: ['come on'],
  isMarked: false,
  images: [],
  ...changes,
});

/** The copied part of the chat that a report is about, with the id of the report. */
export const anEvidence = (
  changes: Partial<Evidence & { reportId: number | null }> = {},
): Evidence & { reportId: number | null } => ({
  reportId: 12,
  source: 'random_chat',
  sessionId: 's1',
  people: [
    { id: 21, username: 'quiet-otter-42' },
    { id: 9, username: 'brave-heron-7' },
  ],
  messages: [
    anEvidenceMessage({ id: '1-0', senderId: 21, versions: ['hello there'] }),
    anEvidenceMessage({ id: '2-0', versions: ['first words', 'last words'], isMarked: true }),
    anEvidenceMessage({ id: '3-0', senderId: 21, versions: ['please stop'] }),
    anEvidenceMessage({
      id: '4-0',
      type: 'image',
      versions: [''],
      images: [{ imageId: 1, width: 1200, height: 900 }],
    }),
  ],
  // Messages of the chat that were not copied.
  omitted: 3,
  ...changes,
});

/** The full case of `aCaseItem`, with one of its two reports and the evidence; `changes` override its fields. */
export const aCase = (changes: Partial<ModerationCase> = {}): ModerationCase => ({
  ...aCaseItem(),
  urgencyParts: { base: 300, reporters: 40, priors: 0, automatic: 0, waiting: 0, isHalved: false },
  reports: [
    {
      id: 12,
      reporterId: 21,
      category: 'sexual',
      words: 'did not stop',
      createdAt: '2026-11-20T21:04:30.000Z',
      weight: 1,
      accuracy: { decided: 5, upheld: 4 },
    },
  ],
  evidence: [anEvidence()],
  history: [{ kind: 'opened', at: '2026-11-20T21:04:30.000Z' }],
  // Ids of moderators who may not decide the case.
  excludes: [],
  ...changes,
});

/** The reported user of `aCase`, without sanctions. */
export const aModeratedPerson = (changes: Partial<ModeratedPerson> = {}): ModeratedPerson => ({
  id: 9,
  username: 'brave-heron-7',
  isAnonymous: true,
  createdAt: '2026-11-10T12:00:00.000Z',
  standing: goodStanding,
  // Whether a legal hold prevents the erasure of the user's data.
  isHeld: false,
  matches: 40,
  reportsPer100Matches: 5,
  sanctions: [],
  cases: [{ id: 8, state: 'open', openedAt: '2026-11-20T21:04:30.000Z', outcome: null }],
  reportsMade: { total: 1, decided: 1, upheld: 1 },
  sameDeviceIds: [],
  ...changes,
});
