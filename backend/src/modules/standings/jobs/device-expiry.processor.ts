import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { BanKeyRepository } from '../infrastructure/ban-key.repository';
import { DeviceRepository } from '../infrastructure/device.repository';

const INTERVAL_MS = 60 * 60_000;

/**
 * Every hour, deletes devices that have been unused for 180 days, and expired ban keys: the hashes by which new
 * accounts of suspended or banned users are recognised.
 */
@Injectable()
export class DeviceExpiryProcessor implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly devices: DeviceRepository,
    private readonly banKeys: BanKeyRepository,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('expire_devices', async () => {
      await this.devices.deleteUnused();
      await this.banKeys.deleteExpired();
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('expire_devices', {}, INTERVAL_MS);
  }
}
