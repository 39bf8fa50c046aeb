import { findNextCase, mergeQueue, stepFrom, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { getTimeLeftMs } from '@/features/moderation/queue/aim';
import { estimateParts } from '@/features/moderation/queue/urgency-parts';
import { aCaseItem } from '@/testing/moderation-factories';

const createItem = (id: number, changes = {}) => aCaseItem({ id, ...changes });
const createRows = (...ids: number[]): QueueRow[] =>
  ids.map((id) => ({ item: createItem(id), isGone: false }));
const describeRows = (rows: readonly QueueRow[]): string[] =>
  rows.map(({ item: { id }, isGone }) => (isGone ? `${id} gone` : `${id}`));

it('takes the order of the server while the list is not held', () => {
  const { rows, newCount } = mergeQueue(createRows(1, 2), [createItem(3), createItem(2)], false);
  expect([describeRows(rows), newCount]).toEqual([['3', '2'], 0]);
});

it('keeps every row in its place while the list is held, and only counts new cases', () => {
  const fresh = [createItem(3), createItem(2, { claimedBy: 4 }), createItem(4)];
  const { rows, newCount } = mergeQueue(createRows(1, 2), fresh, true);
  expect([describeRows(rows), newCount]).toEqual([['1 gone', '2'], 2]);
  expect(rows[1]?.item.claimedBy).toBe(4);
});

it('shows the first cases even while the list is held', () => {
  expect(describeRows(mergeQueue([], [createItem(3)], true).rows)).toEqual(['3']);
});

it.each<[string, QueueRow[], number, number | undefined]>([
  ['the one below', createRows(1, 2, 3), 2, 3],
  ['the first, after the last', createRows(1, 2, 3), 3, 1],
  ['none, after the only one', createRows(1), 1, undefined],
  [
    'one that no other moderator has claimed',
    [...createRows(1), { item: createItem(2, { claimedBy: 4 }), isGone: false }, ...createRows(3)],
    1,
    3,
  ],
  ['one that still waits', [...createRows(1), { item: createItem(2), isGone: true }], 1, undefined],
])('goes on with %s', (_which, rows, from, expected) => {
  expect(findNextCase(rows, from, 3)?.id).toBe(expected);
});

it('steps within the list and stops at its ends', () => {
  const rows = createRows(1, 2);
  expect(
    [stepFrom(rows, undefined, 1), stepFrom(rows, 1, 1), stepFrom(rows, 2, 1), stepFrom(rows, 1, -1)].map(
      (each) => each?.id,
    ),
  ).toEqual([1, 2, 2, 1]);
});

const openedAt = '2026-11-20T21:00:00.000Z';
const after = (hours: number): number => Date.parse(openedAt) + hours * 60 * 60_000;

it('allows one hour for minors and threats, and a day for the rest', () => {
  const formatTimeLeft = (categories: Record<string, number>) =>
    getTimeLeftMs({ categories, openedAt }, after(2)) / 60 / 60_000;
  expect([
    formatTimeLeft({ minor: 1, spam: 2 }),
    formatTimeLeft({ threat: 1 }),
    formatTimeLeft({ sexual: 1 }),
  ]).toEqual([-1, -1, 22]);
});

it('takes the urgency of an entry apart', () => {
  const entry = aCaseItem({
    urgency: 300 + 80 + 60 + 50 + 12,
    reporters: 3,
    priors: 1,
    isAutomatic: true,
    openedAt,
  });
  expect(estimateParts(entry, after(3.5))).toEqual({
    base: 300,
    reporters: 80,
    priors: 60,
    automatic: 50,
    waiting: 12,
    isHalved: false,
  });
});

it('halves the urgency without a report that counts, and allows for an hour that has passed since', () => {
  expect(estimateParts(aCaseItem({ urgency: 60, reporters: 0, openedAt }), after(1.1))).toMatchObject({
    base: 120,
    waiting: 4,
    isHalved: true,
  });
});
