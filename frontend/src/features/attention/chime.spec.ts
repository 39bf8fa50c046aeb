import { setSoundOn } from '@/product/sound-choice';

class FakeContext {
  static last: FakeContext;
  state: 'suspended' | 'running' = 'suspended';
  allow: () => void = () => undefined;
  readonly currentTime = 0;
  readonly destination = {};
  notes = 0;

  constructor() {
    FakeContext.last = this;
  }

  resume(): Promise<void> {
    if (this.state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      this.allow = () => {
        this.state = 'running';
        resolve();
      };
    });
  }

  createGain() {
    const gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect: (next: unknown) => next };
  }

  createOscillator() {
    return {
      frequency: { value: 0 },
      connect: (next: { connect: (to: unknown) => unknown }) => next,
      start: () => (this.notes += 1),
      stop: () => undefined,
    };
  }
}

const loadChime = async () => {
  jest.resetModules();
  localStorage.clear();
  Object.assign(globalThis, { AudioContext: FakeContext });
  setSoundOn(true);
  return (await import('@/features/attention/chime')).playChime;
};

it('plays two notes once the browser allows audio', async () => {
  const playChime = await loadChime();
  const played = playChime(() => 10_000);
  FakeContext.last.allow();
  await played;
  expect(FakeContext.last.notes).toBe(2);
});

it('stays silent when the browser allows audio only long after the call', async () => {
  const playChime = await loadChime();
  let now = 10_000;
  const first = playChime(() => now);
  now = 60_000;
  FakeContext.last.allow();
  await first;
  expect(FakeContext.last.notes).toBe(0);
  await playChime(() => now);
  expect(FakeContext.last.notes).toBe(2);
});
