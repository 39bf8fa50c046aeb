import { Module } from '@nestjs/common';
import { DeviceExpiryProcessor } from './jobs/device-expiry.processor';
import { StandingsModule } from './standings.module';

/** The part of standings that runs in the worker. */
@Module({ imports: [StandingsModule], providers: [DeviceExpiryProcessor], exports: [StandingsModule] })
export class StandingsWorkerModule {}
