import { setSoundOn } from '@/product/sound-choice';

/** Counts the notes that are played. A context is suspended until the test calls `allowAudio`. */
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

/** Long enough after 0, which counts as the time of the last sound until one is played. */
const startMs = 10_000;

/** Imports a new copy of the module, which keeps its audio context, and turns the sound on. */
const loadChime = async () => {
  jest.resetModules();
  localStorage.clear();
  Object.assign(globalThis, { AudioContext: FakeAudioContext });
  setSoundOn(true);
  return (await import('@/features/attention/chime')).playChime;
};

it('plays two notes once the browser allows audio', async () => {
  const playChime = await loadChime();
  const played = playChime(() => startMs);
  FakeAudioContext.latest.allowAudio();
  await played;
  expect(FakeAudioContext.latest.noteCount).toBe(2);
});

it('stays silent when the browser allows audio only long after the call, and plays on the next call', async () => {
  const playChime = await loadChime();
  let now = startMs;
  const firstPlayed = playChime(() => now);
  now = startMs + 60_000;
  FakeAudioContext.latest.allowAudio();
  await firstPlayed;
  expect(FakeAudioContext.latest.noteCount).toBe(0);
  await playChime(() => now);
  expect(FakeAudioContext.latest.noteCount).toBe(2);
});
