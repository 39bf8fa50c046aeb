import { browserStorage } from '@/lib/storage';
import { isSoundOn } from '@/product/sound-choice';

const lastKey = 'thaw-sound-at';
/** Several tabs receive the same message; only one of them plays the sound. */
const onceWithinMs = 1_000;
const notes = [
  { frequency: 660, atS: 0 },
  { frequency: 880, atS: 0.11 },
] as const;
const noteS = 0.22;
const loudness = 0.12;

/** If the browser allows the sound later than this, it is outdated and is not played. */
const staleAfterMs = 1_000;

let context: AudioContext | undefined;

const play = (context: AudioContext): void => {
  for (const { frequency, atS } of notes) {
    const start = context.currentTime + atS;
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(loudness, start + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + noteS);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + noteS);
  }
};

/** Plays two short notes if the user has turned the sound on. Silent until the browser allows audio. */
export const playChime = async (now = Date.now): Promise<void> => {
  if (!isSoundOn() || typeof AudioContext === 'undefined') return;
  const calledAt = now();
  if (calledAt - Number(browserStorage.read(lastKey) ?? 0) < onceWithinMs) return;
  browserStorage.write(lastKey, String(calledAt));
  context ??= new AudioContext();
  // Pending until the first user gesture on the page.
  await context.resume();
  if (context.state === 'running' && now() - calledAt < staleAfterMs) play(context);
};
