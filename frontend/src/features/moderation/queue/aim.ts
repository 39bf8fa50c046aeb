import { type CaseItem } from '@thaw/contract/moderation';

const hourMs = 60 * 60_000;

/** The aim, in ms: cases about minors or threats should be decided within 1 hour, all others within 24 hours. */
export const getAimMs = ({ categories }: Pick<CaseItem, 'categories'>): number =>
  (categories.minor ?? 0) > 0 || (categories.threat ?? 0) > 0 ? hourMs : 24 * hourMs;

/**
 * The time left to decide a case within the aim, in ms; negative when the case is overdue.
 * @param now in ms since the epoch
 */
export const getTimeLeftMs = (item: Pick<CaseItem, 'categories' | 'openedAt'>, now: number): number =>
  Date.parse(item.openedAt) + getAimMs(item) - now;
