import { copy } from '@/features/moderation/copy';
import { formatTime } from '@/lib/time';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration in whole minutes, in hours from 1 hour, or in days from 2 days: 40 min, 26 h, 12 days. */
export const formatSpan = (durationMs: number): string => {
  const duration = Math.max(0, durationMs);
  if (duration < hourMs) return copy.time.minutes(Math.floor(duration / minuteMs));
  if (duration < 2 * dayMs) return copy.time.hours(Math.floor(duration / hourMs));
  return copy.time.days(Math.floor(duration / dayMs));
};

/** Formats a duration that is given in seconds, as the moderation figures are. */
export const formatSeconds = (seconds: number): string =>
  seconds < 60 ? copy.time.seconds(Math.round(seconds)) : formatSpan(seconds * 1000);

const timeOfDayFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const momentFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
/** Always English: the date becomes part of the facts of a decision, which are written in English. */
const factsDateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

export const formatTimeOfDay = (iso: string): string => formatTime(timeOfDayFormat, Date.parse(iso));
/** Formats a date with the time of day. */
export const formatMoment = (iso: string): string => formatTime(momentFormat, Date.parse(iso));
export const formatFactsDate = (iso: string): string => formatTime(factsDateFormat, Date.parse(iso));

/**
 * Formats the time of a message in a list whose heading shows the date of `headingIso`. The date of the message is
 * included only if it differs.
 */
export const formatMessageTime = (iso: string, headingIso: string): string =>
  new Date(iso).toDateString() === new Date(headingIso).toDateString()
    ? formatTimeOfDay(iso)
    : formatMoment(iso);
