import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { ExpiryHandlerRegistry } from '../../../platform/event-store/expiry-handler.registry';
import {
  type DroppedData,
  PersonalDataRepository,
} from '../../../platform/event-store/personal-data.repository';
import type { NewEvent } from '../../../platform/event-store/stored-event.types';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { UploadRemovalService } from '../../uploads/application/upload-removal.service';

const STREAMS_PER_PAGE = 200;
/** If more streams than this fail, all probably fail for the same reason, so the others are not tried. */
const MAX_FAILED_STREAMS = 1_000;

/**
 * Erases personal data when it expires: fields in `event_private`, such as the bodies of messages
 * (docs/product-decisions.md, A62), and files of images. Other modules register handlers for their streams in
 * `ExpiryHandlerRegistry`.
 */
@Injectable()
export class BodyExpiryProcessor implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly personalData: PersonalDataRepository,
    private readonly eventStore: EventStoreRepository,
    private readonly uploads: UploadRemovalService,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    private readonly expiryHandlers: ExpiryHandlerRegistry,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'EXPIRE_EVERY_S'>,
  ) {}

  onModuleInit(): void {
    this.handlers.register('expire_bodies', async () => {
      await this.expire(new Date());
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('expire_bodies', {}, this.environment.EXPIRE_EVERY_S * 1_000);
  }

  /**
   * Erases all expired personal data. A stream that fails does not block the others.
   * @returns the number of streams processed without an error.
   * @throws the first error of a stream, after all other streams, or after more than `MAX_FAILED_STREAMS` failures.
   */
  async expire(now: Date): Promise<number> {
    const errorsByStreamId = new Map<string, unknown>();
    let count = 0;
    let streamIds: readonly string[];
    do {
      streamIds = await this.personalData.findExpiredStreams(now, {
        limit: STREAMS_PER_PAGE,
        except: [...errorsByStreamId.keys()], // a stream that has failed still has expired data
      });
      for (const streamId of streamIds) {
        try {
          await this.expireStream(streamId, now);
          count += 1;
        } catch (error) {
          errorsByStreamId.set(streamId, error);
        }
      }
    } while (streamIds.length > 0 && errorsByStreamId.size <= MAX_FAILED_STREAMS);
    const [firstError] = errorsByStreamId.values();
    if (errorsByStreamId.size > 0) throw firstError;
    return count;
  }

  private async expireStream(streamId: string, now: Date): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const dropped = await this.personalData.dropExpired(streamId, now, manager);
      // Nothing is left to erase, for example because another worker was faster.
      if (dropped.length === 0) return;
      const handler = this.expiryHandlers.find(streamId);
      // Without a handler, the data is treated as messages of a chat, which may have images.
      const events = await (handler
        ? handler(streamId, dropped, now, manager)
        : this.expireMessages(dropped, now, manager));
      await this.eventStore.append(streamId, 'any', events, manager);
    });
  }

  private async expireMessages(
    dropped: readonly DroppedData[],
    now: Date,
    manager: EntityManager,
  ): Promise<readonly NewEvent[]> {
    await this.uploads.releaseImagesOf(dropped, manager);
    return [{ eventId: randomUUID(), type: 'BodiesExpired', data: {}, occurredAt: now }];
  }
}
