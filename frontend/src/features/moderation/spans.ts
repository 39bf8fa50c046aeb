import { copy } from '@/features/moderation/copy';
import { formatTime } from '@/lib/time';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration in its largest whole unit: 40 min, 3 h, 12 days. */
export const formatSpan = (durationMs: number): string => {
  const duration = Math.max(0, durationMs);
  if (duration < hourMs) return copy.time.minutes(Math.floor(duration / minuteMs));
  if (duration < 2 * dayMs) return copy.time.hours(Math.floor(duration / hourMs));
  return copy.time.days(Math.floor(duration / dayMs));
};

/** Formats a duration given in seconds, as figures have it. */
export const formatSeconds = (seconds: number): string =>
  seconds < 60 ? copy.time.seconds(Math.round(seconds)) : formatSpan(seconds * 1000);

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
/** In English, whatever the language of the browser: it becomes a part of an English sentence. */
const dayOfFacts = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

export const formatTimeOfDay = (iso: string): string => formatTime(timeOfDay, Date.parse(iso));
export const formatMoment = (iso: string): string => formatTime(dayAndTime, Date.parse(iso));
export const formatDayOfFacts = (iso: string): string => formatTime(dayOfFacts, Date.parse(iso));

/** The time of a message in a list whose heading names `day`; with its date, if it is another one. */
export const formatTimeSince = (iso: string, day: string): string =>
  new Date(iso).toDateString() === new Date(day).toDateString() ? formatTimeOfDay(iso) : formatMoment(iso);
