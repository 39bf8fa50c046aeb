import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { UploadRemovalService } from '../application/upload-removal.service';

const SWEEP_EVERY_MS = 10 * 60_000;

/** Schedules and runs the job that marks unused images as removed, then deletes the files of all removed images. */
@Injectable()
export class UploadSweepProcessor implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly removal: UploadRemovalService,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sweep_uploads', async () => {
      await this.removal.sweep(new Date());
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('sweep_uploads', {}, SWEEP_EVERY_MS);
  }
}
