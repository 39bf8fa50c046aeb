import { browserStorage } from '@/lib/storage';
import { isSoundOn } from '@/product/sound-choice';

const lastKey = 'thaw-sound-at';
/** Several tabs receive the same message; only one of them plays the sound. */
const onceWithinMs = 1_000;
const notes = [
  { frequency: 660, atS: 0 },
  { frequency: 880, atS: 0.11 },
] as const;
/** Duration of a note in seconds. */
const noteS = 0.22;
/** Gain at the loudest point of a note: quiet beside music and calls. */
const peakGain = 0.12;
/** An exponential ramp cannot end at 0; this gain is inaudible. */
const silentGain = 0.0001;
/** A note rises within this time: a start at full volume would click. */
const riseS = 0.015;

/** If the browser allows the sound later than this, what it signals is no longer new, and it is not played. */
const staleAfterMs = 1_000;

let context: AudioContext | undefined;

const play = (context: AudioContext): void => {
  for (const { frequency, atS } of notes) {
    const start = context.currentTime + atS;
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(peakGain, start + riseS);
    gain.gain.exponentialRampToValueAtTime(silentGain, start + noteS);
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
