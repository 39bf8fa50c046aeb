import { type CaseItem, type UrgencyParts } from '@thaw/contract/moderation';

const hourMs = 60 * 60_000;
/** The base of every reason for a case. */
const bases = [600, 500, 450, 400, 380, 350, 300, 250, 200, 150, 120, 100];
/** The server may have counted one hour less. */
const toleranceUrgency = 4;

/**
 * The addends of the urgency of an entry of the queue, which only has the sum: what follows from its own fields, and
 * the base as the rest. The case itself has the exact ones, but opening it is recorded.
 * @param now the present time, in ms since the epoch
 */
export const estimateParts = (item: CaseItem, now: number): UrgencyParts => {
  const others = {
    reporters: 40 * Math.min(5, Math.max(0, item.reporters - 1)),
    priors: 60 * Math.min(3, item.priors),
    automatic: item.isAutomatic ? 50 : 0,
    waiting: Math.min(200, 4 * Math.max(0, Math.floor((now - Date.parse(item.openedAt)) / hourMs))),
  };
  const sum = others.reporters + others.priors + others.automatic + others.waiting;
  const isHalved = item.reporters === 0 && item.kind === 'reports';
  const rest = (isHalved ? 2 : 1) * item.urgency - sum;
  const base = bases.find((known) => Math.abs(known - rest) <= toleranceUrgency) ?? Math.max(0, rest);
  return { base, ...others, isHalved };
};
