import { type Notice } from '@thaw/contract/safety';

/** A notice. By default, a moderator has suspended the user, who can appeal against this decision. */
export const aNotice = (changes: Partial<Notice> = {}): Notice => ({
  id: 41,
  kind: 'suspension',
  createdAt: '2026-11-20T21:10:00.000Z',
  seenAt: null,
  rule: 'no_unwanted_sexual',
  facts: 'You went on with sexual messages after your partner had asked you to stop.',
  about: { where: 'random_chat', at: '2026-11-20T21:00:00.000Z' },
  decidedBy: 'moderator',
  from: '2026-11-20T21:10:00.000Z',
  until: '2026-11-27T21:10:00.000Z',
  appeal: { state: 'possible', until: '2027-05-22T21:10:00.000Z', outcome: null, answer: null },
  report: null,
  ...changes,
});
