import {
  type CaseItem,
  type EvidenceMessage,
  type ModeratedPerson,
  type ModerationCase,
} from '@thaw/contract/moderation';
import { goodStanding } from '@thaw/contract/standing';

const caseId = 8;
const reportId = 12;
const reportedUser = { id: 9, username: 'brave-heron-7' };
const reporter = { id: 21, username: 'quiet-otter-42' };
/** When the case was opened, by its first report. */
const openedAt = '2026-11-20T21:04:30.000Z';

const urgencyParts = { base: 300, reporters: 40, priors: 0, automatic: 0, waiting: 0, isHalved: false };

/** An entry of the moderators' queue: by default an open case with two reports about sexual messages. */
export const aCaseItem = (changes: Partial<CaseItem> = {}): CaseItem => ({
  id: caseId,
  state: 'open',
  version: 5,
  urgency: urgencyParts.base + urgencyParts.reporters,
  userId: reportedUser.id,
  username: reportedUser.username,
  isAnonymous: true,
  categories: { sexual: 2 },
  reporters: 2,
  priors: 0,
  isAutomatic: false,
  kind: 'reports',
  openedAt,
  standing: 'good',
  claimedBy: null,
  claimedUntil: null,
  ...changes,
});

/** A message of the reported user. */
export const anEvidenceMessage = (changes: Partial<EvidenceMessage> = {}): EvidenceMessage => ({
  id: '1763640000000-0',
  senderId: reportedUser.id,
  at: '2026-11-20T21:00:00.000Z',
  type: 'text',
  versions: ['come on'],
  isMarked: false,
  images: [],
  ...changes,
});

/** The copied part of a chat, with the id of the report about the chat. */
type ReportEvidence = ModerationCase['evidence'][number];

/** By default the evidence of the report in `aCase`: four messages, of which one was edited and one is an image. */
export const anEvidence = (changes: Partial<ReportEvidence> = {}): ReportEvidence => ({
  reportId,
  source: 'random_chat',
  sessionId: 's1',
  people: [reporter, reportedUser],
  messages: [
    anEvidenceMessage({ id: '1-0', senderId: reporter.id, versions: ['hello there'] }),
    anEvidenceMessage({ id: '2-0', versions: ['first words', 'last words'], isMarked: true }),
    anEvidenceMessage({ id: '3-0', senderId: reporter.id, versions: ['please stop'] }),
    anEvidenceMessage({
      id: '4-0',
      type: 'image',
      versions: [''],
      images: [{ imageId: 1, width: 1200, height: 900 }],
    }),
  ],
  omitted: 3,
  ...changes,
});

/** The full case of `aCaseItem`, with the details of one of its two reports; `changes` override its fields. */
export const aCase = (changes: Partial<ModerationCase> = {}): ModerationCase => ({
  ...aCaseItem(),
  urgencyParts,
  reports: [
    {
      id: reportId,
      reporterId: reporter.id,
      category: 'sexual',
      words: 'did not stop',
      createdAt: openedAt,
      weight: 1,
      accuracy: { decided: 5, upheld: 4 },
    },
  ],
  evidence: [anEvidence()],
  history: [{ kind: 'opened', at: openedAt }],
  excludes: [],
  ...changes,
});

/** The reported user of `aCase`, without sanctions. */
export const aModeratedPerson = (changes: Partial<ModeratedPerson> = {}): ModeratedPerson => ({
  ...reportedUser,
  isAnonymous: true,
  createdAt: '2026-11-10T12:00:00.000Z',
  standing: goodStanding,
  isHeld: false,
  matches: 40,
  reportsPer100Matches: 5,
  sanctions: [],
  cases: [{ id: caseId, state: 'open', openedAt, outcome: null }],
  reportsMade: { total: 1, decided: 1, upheld: 1 },
  sameDeviceIds: [],
  ...changes,
});
