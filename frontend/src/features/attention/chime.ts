import { browserStorage } from '@/lib/storage';
import { isSoundOn } from '@/product/sound-choice';

const lastPlayedAtKey = 'thaw-sound-at';
/** Several tabs receive the same message within this time; only one of them plays the sound. */
const minIntervalMs = 1_000;
const notes = [
  { frequencyHz: 660, startS: 0 },
  { frequencyHz: 880, startS: 0.11 },
] as const;
const noteDurationS = 0.22;
/** Gain at the loudest point of a note: quiet beside music and calls. */
const peakGain = 0.12;
/** An exponential ramp cannot end at 0; this gain is inaudible. */
const silentGain = 0.0001;
/** A note reaches its peak within this time, because a start at full volume would click. */
const riseS = 0.015;

/** If the browser allows audio later than this after the call, no sound is played: the message is no longer new. */
const staleAfterMs = 1_000;

let sharedContext: AudioContext | undefined;

const playNotes = (context: AudioContext): void => {
  for (const { frequencyHz, startS } of notes) {
    const start = context.currentTime + startS;
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    oscillator.frequency.value = frequencyHz;
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(peakGain, start + riseS);
    gain.gain.exponentialRampToValueAtTime(silentGain, start + noteDurationS);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + noteDurationS);
  }
};

/** Plays two short notes if the user has turned the sound on and the browser allows audio. */
export const playChime = async (now = Date.now): Promise<void> => {
  if (!isSoundOn() || typeof AudioContext === 'undefined') return;
  const calledAt = now();
  if (calledAt - Number(browserStorage.read(lastPlayedAtKey) ?? 0) < minIntervalMs) return;
  // Written before the sound is played, so that no other tab plays it too.
  browserStorage.write(lastPlayedAtKey, String(calledAt));
  sharedContext ??= new AudioContext();
  // The promise is pending until the first user gesture on the page.
  await sharedContext.resume();
  if (sharedContext.state === 'running' && now() - calledAt < staleAfterMs) playNotes(sharedContext);
};
