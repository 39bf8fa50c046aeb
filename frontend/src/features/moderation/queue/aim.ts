import { type CaseItem } from '@thaw/contract/moderation';

const hourMs = 60 * 60_000;

/** Within which time a case should be decided: minor and threat within one hour, the rest within a day. */
export const getTargetMs = ({ categories }: Pick<CaseItem, 'categories'>): number =>
  (categories.minor ?? 0) > 0 || (categories.threat ?? 0) > 0 ? hourMs : 24 * hourMs;

/** The time left until the aim, in ms; negative once it has passed. */
export const getTimeLeftMs = (item: Pick<CaseItem, 'categories' | 'openedAt'>, now: number): number =>
  Date.parse(item.openedAt) + getTargetMs(item) - now;
