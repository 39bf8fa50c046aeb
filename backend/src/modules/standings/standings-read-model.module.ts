import { Module } from '@nestjs/common';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { BanKeyRepository } from './infrastructure/ban-key.repository';
import { DeviceRepository } from './infrastructure/device.repository';
import { EmailHasherService } from './infrastructure/email-hasher.service';
import { StandingRepository } from './infrastructure/standing.repository';
import { createBanKeysProjection } from './projections/ban-keys.projection';
import { standingEventTypes, standingsProjection } from './projections/standings.projection';

/**
 * Event types, projections and queries of standings (whether a user is suspended or banned, for example), devices and
 * ban keys. Ban keys are hashes of devices and e-mail addresses by which new accounts of suspended or banned users are
 * recognised. Depends on the platform only.
 */
@Module({
  providers: [StandingRepository, DeviceRepository, BanKeyRepository, EmailHasherService],
  exports: [StandingRepository, DeviceRepository, BanKeyRepository, EmailHasherService],
})
export class StandingsReadModelModule {
  constructor(
    eventTypes: EventTypeRegistry,
    projections: ProjectionRegistry,
    banKeys: BanKeyRepository,
    emails: EmailHasherService,
  ) {
    eventTypes.register(standingEventTypes);
    projections.register(standingsProjection);
    projections.register(
      createBanKeysProjection(banKeys, (userId, manager) => emails.findEmailHash(userId, manager)),
    );
  }
}
