import { type IdleState, computeMinimum, findGrowth } from './idle-state';

const rest = (more: Partial<IdleState> = {}): IdleState => ({
  processes: {
    'api-1': { heapBytes: 50e6, resources: { Timeout: 5 }, collections: { 'LiveChatService.served': 0 } },
  },
  redisClients: 20,
  redisChannels: 200,
  postgresConnections: 20,
  keysWithoutExpiry: { '{matching}:leases': 1 },
  ...more,
});
const process = (more: Partial<IdleState['processes'][string]>): IdleState => {
  const { processes } = rest();
  return rest({ processes: { 'api-1': { ...processes['api-1']!, ...more } } });
};

it.each([
  ['a chat that is still served', process({ collections: { 'LiveChatService.served': 1 } })],
  ['a collection that was empty and is not', process({ collections: { 'Other.map': 1 } })],
  ['timers that pile up', process({ resources: { Timeout: 50 } })],
  ['a heap that has grown by more than a fifth', process({ heapBytes: 61e6 })],
  ['a process that does not answer', rest({ processes: {} })],
  ['subscriptions that are left', rest({ redisChannels: 201 })],
  ['connections to Redis that are left', rest({ redisClients: 25 })],
  ['keys that never expire', rest({ keysWithoutExpiry: { '{matching}:user:<n>': 4 } })],
])('reports %s', (_, after) => {
  expect(findGrowth(rest(), after)).toHaveLength(1);
});

it('reports nothing when nothing has grown', () => {
  expect(findGrowth(rest(), process({ heapBytes: 59e6, resources: { Timeout: 7 } }))).toEqual([]);
});

it('ignores growth that only one of two inspections saw', () => {
  const busy = process({ resources: { Timeout: 50 }, collections: { 'LiveChatService.served': 3 } });
  expect(findGrowth(rest(), computeMinimum(busy, rest()))).toEqual([]);
  expect(findGrowth(rest(), computeMinimum(busy, busy))).toHaveLength(2);
});
