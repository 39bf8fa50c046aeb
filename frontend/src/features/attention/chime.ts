import { soundChoice } from '@/lib/sound-choice';
import { readStored, writeStored } from '@/lib/storage';

const lastKey = 'thaw-sound-at';
/** Several tabs hear of the same message: one of them sounds. */
const onceWithinMs = 1_000;
const notes = [
  { frequency: 660, atS: 0 },
  { frequency: 880, atS: 0.11 },
] as const;
const noteS = 0.22;
const loudness = 0.12;

let context: AudioContext | undefined;

/** Two short notes, for those who have asked for a sound. Silent where the browser does not allow it yet. */
export const chime = (now = Date.now()): void => {
  if (!soundChoice() || typeof AudioContext === 'undefined') return;
  if (now - Number(readStored(lastKey) ?? 0) < onceWithinMs) return;
  writeStored(lastKey, String(now));
  context ??= new AudioContext();
  void context.resume().catch(() => undefined);
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
