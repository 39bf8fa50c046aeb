import { type AtRest, atBoth, growth } from './at-rest';

const rest = (more: Partial<AtRest> = {}): AtRest => ({
  processes: {
    'api-1': { heapBytes: 50e6, resources: { Timeout: 5 }, collections: { 'LiveChatService.served': 0 } },
  },
  redisClients: 20,
  redisChannels: 200,
  postgresConnections: 20,
  lastingKeys: { '{matching}:leases': 1 },
  ...more,
});
const process = (more: Partial<AtRest['processes'][string]>): AtRest => {
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
  ['keys that never expire', rest({ lastingKeys: { '{matching}:user:<n>': 4 } })],
])('reports %s', (_, after) => {
  expect(growth(rest(), after)).toHaveLength(1);
});

it('reports nothing when nothing has grown', () => {
  expect(growth(rest(), process({ heapBytes: 59e6, resources: { Timeout: 7 } }))).toEqual([]);
});

it('ignores growth that only one of two inspections saw', () => {
  const busy = process({ resources: { Timeout: 50 }, collections: { 'LiveChatService.served': 3 } });
  expect(growth(rest(), atBoth(busy, rest()))).toEqual([]);
  expect(growth(rest(), atBoth(busy, busy))).toHaveLength(2);
});
