import { getBucket, type LimitsProfile } from '../../../platform/rate-limit/bucket.limits';
import type { Rates } from '../domain/random-chat.state';

/** The limits that a chat enforces itself, from its events (docs/decisions/0001). */
export const createRates = (profile: LimitsProfile): Rates => ({
  message: getBucket('random_message', profile),
  edit: getBucket('edits', profile),
  reaction: getBucket('reactions', profile),
  game: getBucket('break_ice_start', profile),
});
