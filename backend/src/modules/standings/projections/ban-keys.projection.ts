import type { EntityManager } from 'typeorm';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type {
  AppealDecided,
  SanctionConfirmed,
  SanctionImposed,
  SanctionLifted,
} from '../domain/standing.events';
import type { BanKeyRepository } from '../infrastructure/ban-key.repository';

type SanctionEvent = StoredEvent & (SanctionImposed | SanctionConfirmed | SanctionLifted | AppealDecided);

/** Returns the hash of the user's e-mail address; null when the user has none. */
export type FindEmailHash = (userId: number, manager: EntityManager) => Promise<string | null>;

const updateKeys = async (
  event: SanctionEvent,
  manager: EntityManager,
  keys: BanKeyRepository,
  findEmailHash: FindEmailHash,
): Promise<void> => {
  const { userId, sanctionId } = event.data;
  // An appeal may be about a notice that imposed no sanction, such as a warning.
  if (sanctionId === null) return;
  switch (event.type) {
    case 'SanctionImposed': {
      const { until } = event.data; // null for a sanction without an end
      await keys.addDevices(userId, sanctionId, until === null ? null : new Date(until), manager);
      return;
    }
    case 'SanctionConfirmed':
      await keys.confirm(sanctionId, await findEmailHash(userId, manager), manager);
      return;
    case 'SanctionLifted':
      await keys.delete(sanctionId, manager);
      return;
    case 'AppealDecided': {
      const { until } = event.data; // null unless the decision reduces the sanction, which gives it a new end
      if (until !== null) await keys.reduce(sanctionId, new Date(until), manager);
      return;
    }
    default:
      return event satisfies never;
  }
};

/**
 * Maintains the table `ban_keys`: for each sanction, the hashes (keys) of the user's devices and e-mail address, by
 * which new accounts of the user are recognised.
 */
export const createBanKeysProjection = (
  keys: BanKeyRepository,
  findEmailHash: FindEmailHash,
): Projection => ({
  name: 'ban_keys',
  // A rebuild would replace the tables listed here. It could not fill `ban_keys` again, because the event log does not
  // contain the devices and the e-mail address that a user had at the time of a sanction.
  tables: [],
  handles: ['SanctionImposed', 'SanctionConfirmed', 'SanctionLifted', 'AppealDecided'],
  async apply(events, manager) {
    for (const event of events) await updateKeys(event as SanctionEvent, manager, keys, findEmailHash);
  },
});
