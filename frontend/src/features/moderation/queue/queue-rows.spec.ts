import { findNextCase, mergeQueue, stepFrom, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { getTimeLeftMs } from '@/features/moderation/queue/aim';
import { estimateParts } from '@/features/moderation/queue/urgency-parts';
import { aCaseItem } from '@/testing/moderation-factories';

const myId = 3;
const otherModeratorId = 4;
const createItem = (id: number, changes = {}) => aCaseItem({ id, ...changes });
const createRows = (...ids: number[]): QueueRow[] =>
  ids.map((id) => ({ item: createItem(id), hasLeftQueue: false }));

const openedAt = '2026-11-20T21:00:00.000Z';
const hourMs = 60 * 60_000;
const hoursAfterOpening = (hours: number): number => Date.parse(openedAt) + hours * hourMs;

describe('mergeQueue', () => {
  const describeRows = (rows: readonly QueueRow[]): string[] =>
    rows.map(({ item: { id }, hasLeftQueue }) => (hasLeftQueue ? `${id} gone` : `${id}`));

  it('shows the cases in the order of the server while the list is not frozen', () => {
    const newestItems = [createItem(3), createItem(2)];
    const { rows, newCount } = mergeQueue(createRows(1, 2), newestItems, { isFrozen: false });
    expect(describeRows(rows)).toEqual(['3', '2']);
    expect(newCount).toBe(0);
  });

  it('keeps every row in its place while the list is frozen, marks cases that are gone, and counts new ones', () => {
    const newestItems = [createItem(3), createItem(2, { claimedBy: otherModeratorId }), createItem(4)];
    const { rows, newCount } = mergeQueue(createRows(1, 2), newestItems, { isFrozen: true });
    expect(describeRows(rows)).toEqual(['1 gone', '2']);
    expect(newCount).toBe(2);
    expect(rows[1]?.item.claimedBy).toBe(otherModeratorId);
  });

  it('fills an empty list even while it is frozen', () => {
    const { rows } = mergeQueue([], [createItem(3)], { isFrozen: true });
    expect(describeRows(rows)).toEqual(['3']);
  });
});

describe('findNextCase', () => {
  const findNextId = (rows: readonly QueueRow[], caseId: number) => findNextCase(rows, caseId, myId)?.id;

  it('returns the case below', () => {
    expect(findNextId(createRows(1, 2, 3), 2)).toBe(3);
  });

  it('returns the first case after the last one', () => {
    expect(findNextId(createRows(1, 2, 3), 3)).toBe(1);
  });

  it('skips a case that another moderator has claimed', () => {
    const claimed = { item: createItem(2, { claimedBy: otherModeratorId }), hasLeftQueue: false };
    expect(findNextId([...createRows(1), claimed, ...createRows(3)], 1)).toBe(3);
  });

  it('returns no case if there is no other', () => {
    expect(findNextId(createRows(1), 1)).toBeUndefined();
  });

  it('returns no case if the only other one has left the queue', () => {
    const gone = { item: createItem(2), hasLeftQueue: true };
    expect(findNextId([...createRows(1), gone], 1)).toBeUndefined();
  });
});

describe('stepFrom', () => {
  const rows = createRows(1, 2);

  it.each<[string, number | undefined, 1 | -1, number]>([
    ['to the case below', 1, 1, 2],
    ['to the case above', 2, -1, 1],
    ['to the first case if there is no current one', undefined, 1, 1],
    ['no further than the last case', 2, 1, 2],
    ['no further than the first case', 1, -1, 1],
  ])('steps %s', (_title, caseId, step, expectedId) => {
    expect(stepFrom(rows, caseId, step)?.id).toBe(expectedId);
  });
});

describe('getTimeLeftMs', () => {
  it.each<[Record<string, number>, number]>([
    [{ minor: 1, spam: 2 }, 1],
    [{ threat: 1 }, 1],
    [{ sexual: 1 }, 24],
  ])('gives a case with the reports %j %i h from its opening', (categories, aimHours) => {
    const timeLeftMs = getTimeLeftMs({ categories, openedAt }, hoursAfterOpening(2));
    expect(timeLeftMs).toBe((aimHours - 2) * hourMs);
  });
});

describe('estimateParts', () => {
  it('finds the base, which is the rest of the urgency without the other parts', () => {
    const parts = {
      base: 300,
      reporters: 2 * 40, // for each reporter after the first
      priors: 60, // for each earlier sanction
      automatic: 50,
      waiting: 3 * 4, // for each full hour
    };
    const item = aCaseItem({
      urgency: parts.base + parts.reporters + parts.priors + parts.automatic + parts.waiting,
      reporters: 3,
      priors: 1,
      isAutomatic: true,
      openedAt,
    });
    expect(estimateParts(item, hoursAfterOpening(3.5))).toEqual({ ...parts, isHalved: false });
  });

  it('finds the base of a halved urgency even if the server computed the urgency an hour earlier', () => {
    // After 0.1 hours, the server computed half of the base 120. After 1.1 hours, there are 4 points for a full hour.
    const item = aCaseItem({ urgency: 120 / 2, reporters: 0, openedAt });
    expect(estimateParts(item, hoursAfterOpening(1.1))).toMatchObject({
      base: 120,
      waiting: 4,
      isHalved: true,
    });
  });
});
