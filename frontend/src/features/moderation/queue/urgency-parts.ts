import { type CaseItem, type UrgencyParts } from '@thaw/contract/moderation';

// The same points as in backend/src/modules/moderation/infrastructure/case-queue.sql.ts, which explains them.

/** The points of the possible reasons for a case, such as a category of reports. */
const bases = [600, 500, 450, 400, 380, 350, 300, 250, 200, 150, 120, 100];
const pointsPerFurtherReporter = 40;
const maxFurtherReporters = 5;
const pointsPerPriorSanction = 60;
const maxPriorSanctions = 3;
const automaticPoints = 50;
const pointsPerHour = 4;
const maxWaitingPoints = 200;

const hourMs = 60 * 60_000;
/** Another full hour of waiting may have passed since the server computed the urgency. */
const baseTolerance = pointsPerHour;

/**
 * Estimates the parts of a case's urgency, by which the queue is sorted. Its entry in the queue has only their sum:
 * four parts follow from the other fields, and the base is the rest. Loading the case would give the exact parts, but
 * the audit log records every load as a read by the moderator.
 * @param now in ms since the epoch
 */
export const estimateParts = (item: CaseItem, now: number): UrgencyParts => {
  const hoursWaited = Math.max(0, Math.floor((now - Date.parse(item.openedAt)) / hourMs));
  const others = {
    reporters: pointsPerFurtherReporter * Math.min(maxFurtherReporters, Math.max(0, item.reporters - 1)),
    priors: pointsPerPriorSanction * Math.min(maxPriorSanctions, item.priors),
    automatic: item.isAutomatic ? automaticPoints : 0,
    waiting: Math.min(maxWaitingPoints, pointsPerHour * hoursWaited),
  };
  const sum = others.reporters + others.priors + others.automatic + others.waiting;
  // The server halves the urgency if no reporter counts, i.e. if all of them are excluded or unreliable.
  const isHalved = item.reporters === 0 && item.kind === 'reports';
  const rest = (isHalved ? 2 : 1) * item.urgency - sum;
  const base = bases.find((known) => Math.abs(known - rest) <= baseTolerance) ?? Math.max(0, rest);
  return { base, ...others, isHalved };
};
