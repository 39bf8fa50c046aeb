import { findNextCase, mergeQueue, stepFrom, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { getTimeLeftMs } from '@/features/moderation/queue/aim';
import { estimateParts } from '@/features/moderation/queue/urgency-parts';
import { aCaseItem } from '@/testing/moderation-factories';

const myId = 3;
const otherModeratorId = 4;
const createItem = (id: number, changes = {}) => aCaseItem({ id, ...changes });
const createRows = (...ids: number[]): QueueRow[] =>
  ids.map((id) => ({ item: createItem(id), hasLeftQueue: false }));
const describeRows = (rows: readonly QueueRow[]): string[] =>
  rows.map(({ item: { id }, hasLeftQueue }) => (hasLeftQueue ? `${id} gone` : `${id}`));

it('shows the cases in the order of the server while the list is not frozen', () => {
  const { rows, newCount } = mergeQueue(createRows(1, 2), [createItem(3), createItem(2)], false);
  expect([describeRows(rows), newCount]).toEqual([['3', '2'], 0]);
});

it('keeps every row in its place while the list is frozen, marks cases that are gone, and counts new ones', () => {
  const newestItems = [createItem(3), createItem(2, { claimedBy: otherModeratorId }), createItem(4)];
  const { rows, newCount } = mergeQueue(createRows(1, 2), newestItems, true);
  expect([describeRows(rows), newCount]).toEqual([['1 gone', '2'], 2]);
  expect(rows[1]?.item.claimedBy).toBe(otherModeratorId);
});

it('fills an empty list even while it is frozen', () => {
  expect(describeRows(mergeQueue([], [createItem(3)], true).rows)).toEqual(['3']);
});

it.each<[string, QueueRow[], number, number | undefined]>([
  ['the case below', createRows(1, 2, 3), 2, 3],
  ['the first case, after the last one', createRows(1, 2, 3), 3, 1],
  ['no case, if there is no other', createRows(1), 1, undefined],
  [
    'the next case that no other moderator has claimed',
    [
      ...createRows(1),
      { item: createItem(2, { claimedBy: otherModeratorId }), hasLeftQueue: false },
      ...createRows(3),
    ],
    1,
    3,
  ],
  [
    'no case, if the only other one is gone',
    [...createRows(1), { item: createItem(2), hasLeftQueue: true }],
    1,
    undefined,
  ],
])('continues after a decision with %s', (_title, rows, caseId, expectedId) => {
  expect(findNextCase(rows, caseId, myId)?.id).toBe(expectedId);
});

it('steps to the case below or above, starts at the first one, and stops at the last one', () => {
  const rows = createRows(1, 2);
  expect(
    [stepFrom(rows, undefined, 1), stepFrom(rows, 1, 1), stepFrom(rows, 2, 1), stepFrom(rows, 1, -1)].map(
      (item) => item?.id,
    ),
  ).toEqual([1, 2, 2, 1]);
});

const openedAt = '2026-11-20T21:00:00.000Z';
const hoursAfterOpening = (hours: number): number => Date.parse(openedAt) + hours * 60 * 60_000;

it('leaves 1 hour to decide a case about minors or threats, and 24 hours for the others', () => {
  const getHoursLeft = (categories: Record<string, number>) =>
    getTimeLeftMs({ categories, openedAt }, hoursAfterOpening(2)) / 60 / 60_000;
  expect([
    getHoursLeft({ minor: 1, spam: 2 }),
    getHoursLeft({ threat: 1 }),
    getHoursLeft({ sexual: 1 }),
  ]).toEqual([-1, -1, 22]);
});

it('estimates the parts of the urgency of a case', () => {
  // The base, 40 points for each reporter after the first, 60 for each prior sanction, 50 for an automatic finding, and
  // 4 for each full hour of waiting.
  const item = aCaseItem({
    urgency: 300 + 80 + 60 + 50 + 12,
    reporters: 3,
    priors: 1,
    isAutomatic: true,
    openedAt,
  });
  expect(estimateParts(item, hoursAfterOpening(3.5))).toEqual({
    base: 300,
    reporters: 80,
    priors: 60,
    automatic: 50,
    waiting: 12,
    isHalved: false,
  });
});

it('finds the base of a halved urgency even if the server computed the urgency an hour earlier', () => {
  // At 0.1 hours the server computed 60, half of the base 120. At 1.1 hours there are 4 points for the full hour.
  expect(
    estimateParts(aCaseItem({ urgency: 60, reporters: 0, openedAt }), hoursAfterOpening(1.1)),
  ).toMatchObject({
    base: 120,
    waiting: 4,
    isHalved: true,
  });
});
