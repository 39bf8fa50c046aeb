import { setSoundOn } from '@/product/sound-choice';

/** Counts the notes that are played. Suspended until the test calls `allowAudio`. */
class FakeAudioContext {
  static latest: FakeAudioContext;
  state: 'suspended' | 'running' = 'suspended';
  allowAudio: () => void = () => undefined;
  readonly currentTime = 0;
  readonly destination = {};
  noteCount = 0;

  constructor() {
    FakeAudioContext.latest = this;
  }

  resume(): Promise<void> {
    if (this.state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      this.allowAudio = () => {
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
      start: () => (this.noteCount += 1),
      stop: () => undefined,
    };
  }
}

/** Long after the last sound, whose time counts as 0 while none is stored. */
const startMs = 10_000;

/** Imports the module again, because it keeps its audio context. */
const loadChime = async () => {
  jest.resetModules();
  localStorage.clear();
  Object.assign(globalThis, { AudioContext: FakeAudioContext });
  setSoundOn(true);
  return (await import('@/features/attention/chime')).playChime;
};

it('plays two notes once the browser allows audio', async () => {
  const playChime = await loadChime();
  const call = playChime(() => startMs);
  FakeAudioContext.latest.allowAudio();
  await call;
  expect(FakeAudioContext.latest.noteCount).toBe(2);
});

it('stays silent when the browser allows audio only long after the call, and plays on the next call', async () => {
  const playChime = await loadChime();
  let now = startMs;
  const firstCall = playChime(() => now);
  now = startMs + 60_000;
  FakeAudioContext.latest.allowAudio();
  await firstCall;
  expect(FakeAudioContext.latest.noteCount).toBe(0);
  await playChime(() => now);
  expect(FakeAudioContext.latest.noteCount).toBe(2);
});
