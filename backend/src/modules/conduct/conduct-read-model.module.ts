import { Inject, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { StandingsReadModelModule } from '../standings/standings-read-model.module';
import { ConductRepository } from './infrastructure/conduct.repository';
import { NoticeRepository } from './infrastructure/notice.repository';
import { conductEventTypes } from './projections/conduct.event-types';
import { conductProjection } from './projections/conduct.projection';
import { createEvidenceExpiryProjection } from './projections/evidence-expiry.projection';

/** Event types, projections and repositories of reports, cases, appeals and notices. */
@Module({
  // Registers the event types of standings (the restrictions of users), which are in the same streams.
  imports: [StandingsReadModelModule],
  providers: [ConductRepository, NoticeRepository],
  exports: [ConductRepository, NoticeRepository],
})
export class ConductReadModelModule {
  constructor(
    eventTypes: EventTypeRegistry,
    projections: ProjectionRegistry,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    eventTypes.register(conductEventTypes);
    projections.register(conductProjection);
    projections.register(
      createEvidenceExpiryProjection({
        evidenceMinKeptMs: environment.EVIDENCE_MIN_KEPT_S * 1_000,
        appealWithinMs: environment.APPEAL_WITHIN_S * 1_000,
      }),
    );
  }
}
