import { type IdleState, computeMinimum, findGrowth } from './idle-state';

const createIdleState = (more: Partial<IdleState> = {}): IdleState => ({
  processes: {
    'api-1': { heapBytes: 50e6, resources: { Timeout: 5 }, collections: { 'LiveChatService.served': 0 } },
  },
  redisClients: 20,
  redisChannels: 200,
  postgresConnections: 20,
  keysWithoutExpiry: { '{matching}:leases': 1 },
  ...more,
});
/** A state in which the inspection of the process `api-1` differs. */
const createStateWithProcess = (more: Partial<IdleState['processes'][string]>): IdleState => {
  const { processes } = createIdleState();
  return createIdleState({ processes: { 'api-1': { ...processes['api-1']!, ...more } } });
};

describe('findGrowth', () => {
  it.each([
    ['a chat that is still served', createStateWithProcess({ collections: { 'LiveChatService.served': 1 } })],
    [
      'a collection that was empty and is not any more',
      createStateWithProcess({ collections: { 'Other.map': 1 } }),
    ],
    ['timers that pile up', createStateWithProcess({ resources: { Timeout: 50 } })],
    ['a heap that has grown by more than a fifth', createStateWithProcess({ heapBytes: 61e6 })],
    ['a process that does not answer', createIdleState({ processes: {} })],
    ['subscriptions that are left', createIdleState({ redisChannels: 201 })],
    ['more new connections to Redis than are usual at rest', createIdleState({ redisClients: 25 })],
    ['new keys that never expire', createIdleState({ keysWithoutExpiry: { '{matching}:user:<n>': 4 } })],
  ])('reports %s', (_, after) => {
    expect(findGrowth(createIdleState(), after)).toHaveLength(1);
  });

  it('reports nothing when the heap and the timers vary as at rest', () => {
    expect(
      findGrowth(createIdleState(), createStateWithProcess({ heapBytes: 59e6, resources: { Timeout: 7 } })),
    ).toEqual([]);
  });

  it('ignores growth that only one of two inspections saw', () => {
    const busy = createStateWithProcess({
      resources: { Timeout: 50 },
      collections: { 'LiveChatService.served': 3 },
    });
    expect(findGrowth(createIdleState(), computeMinimum(busy, createIdleState()))).toEqual([]);
    expect(findGrowth(createIdleState(), computeMinimum(busy, busy))).toHaveLength(2);
  });
});
