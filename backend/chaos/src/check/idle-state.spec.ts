import { type IdleState, computeMinimum, findGrowth } from './idle-state';

const createIdleState = (overrides: Partial<IdleState> = {}): IdleState => ({
  processes: {
    'api-1': { heapBytes: 50e6, resources: { Timeout: 5 }, collections: { 'LiveChatService.served': 0 } },
  },
  redisClients: 20,
  redisChannels: 200,
  postgresConnections: 20,
  keysWithoutExpiry: { '{matching}:leases': 1 },
  ...overrides,
});

/** An idle state in which some values of its only process, `api-1`, differ. */
const createStateWithChangedProcess = (overrides: Partial<IdleState['processes'][string]>): IdleState => {
  const { processes } = createIdleState();
  return createIdleState({ processes: { 'api-1': { ...processes['api-1']!, ...overrides } } });
};

describe('findGrowth', () => {
  it.each([
    [
      'a chat that is still served',
      createStateWithChangedProcess({ collections: { 'LiveChatService.served': 1 } }),
      'api-1: LiveChatService.served: 0 before, 1 after',
    ],
    [
      'entries in a collection that did not exist before',
      createStateWithChangedProcess({ collections: { 'Other.map': 1 } }),
      'api-1: Other.map: 0 before, 1 after',
    ],
    [
      'timers that pile up',
      createStateWithChangedProcess({ resources: { Timeout: 50 } }),
      'api-1: Timeout: 5 before, 50 after',
    ],
    [
      'a heap that has grown by more than a fifth',
      createStateWithChangedProcess({ heapBytes: 61e6 }),
      'api-1: heap 47.7 MiB before, 58.2 MiB after',
    ],
    ['a process that does not answer', createIdleState({ processes: {} }), 'api-1 does not answer'],
    [
      'subscriptions that are left',
      createIdleState({ redisChannels: 201 }),
      'channels of Redis: 200 before, 201 after',
    ],
    [
      'more than two new connections to Redis',
      createIdleState({ redisClients: 23 }),
      'clients of Redis: 20 before, 23 after',
    ],
    [
      'more than three new keys that never expire',
      createIdleState({ keysWithoutExpiry: { '{matching}:user:<n>': 4 } }),
      '{matching}:user:<n>, which never expires: 0 before, 4 after',
    ],
  ])('reports %s', (_, after, description) => {
    expect(findGrowth(createIdleState(), after)).toEqual([{ rule: 'at rest', description }]);
  });

  it('ignores growth of the heap and of the timers within their limits', () => {
    const after = createStateWithChangedProcess({ heapBytes: 59e6, resources: { Timeout: 7 } });
    expect(findGrowth(createIdleState(), after)).toEqual([]);
  });
});

describe('the minimum of two inspections', () => {
  const idle = createIdleState();
  const grown = createStateWithChangedProcess({
    resources: { Timeout: 50 },
    collections: { 'LiveChatService.served': 3 },
  });

  it('contains no growth that only one of them has found', () => {
    expect(findGrowth(idle, computeMinimum(grown, idle))).toEqual([]);
  });

  it('contains the growth that both have found', () => {
    expect(findGrowth(idle, computeMinimum(grown, grown))).toMatchObject([
      { description: 'api-1: Timeout: 5 before, 50 after' },
      { description: 'api-1: LiveChatService.served: 0 before, 3 after' },
    ]);
  });
});
