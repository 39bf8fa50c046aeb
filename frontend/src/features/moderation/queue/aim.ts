import { type CaseItem } from '@thaw/contract/moderation';

const hourMs = 60 * 60_000;

/**
 * The aim, in ms: a case with a report about a minor or a threat should be decided within 1 hour, any other within 24
 * hours.
 * @param categories the number of reports by category
 */
export const getAimMs = ({ categories }: Pick<CaseItem, 'categories'>): number =>
  (categories.minor ?? 0) > 0 || (categories.threat ?? 0) > 0 ? hourMs : 24 * hourMs;

/**
 * The time left to decide a case within the aim, in ms; negative when the case is overdue.
 * @param now in ms since the epoch
 */
export const getTimeLeftMs = (item: Pick<CaseItem, 'categories' | 'openedAt'>, now: number): number =>
  Date.parse(item.openedAt) + getAimMs(item) - now;
