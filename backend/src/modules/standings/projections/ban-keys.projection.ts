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
  // An appeal may be about a notice without a sanction.
  if (sanctionId === null) return;
  switch (event.type) {
    case 'SanctionImposed': {
      const { until } = event.data;
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
      // Only an appeal that reduced the sanction has a new end.
      const { until } = event.data;
      if (until !== null) await keys.reduce(sanctionId, new Date(until), manager);
      return;
    }
    default:
      return event satisfies never;
  }
};

/**
 * Updates the keys of a sanction (device and e-mail hashes by which new accounts of the user are recognised) in the
 * transaction of its event. A rebuild leaves the table `ban_keys` unchanged, because the event log does not contain the
 * devices and the e-mail address that the user had at that time; so `tables` is empty.
 */
export const createBanKeysProjection = (
  keys: BanKeyRepository,
  findEmailHash: FindEmailHash,
): Projection => ({
  name: 'ban_keys',
  tables: [],
  handles: ['SanctionImposed', 'SanctionConfirmed', 'SanctionLifted', 'AppealDecided'],
  async apply(events, manager) {
    for (const event of events) await updateKeys(event as SanctionEvent, manager, keys, findEmailHash);
  },
});
