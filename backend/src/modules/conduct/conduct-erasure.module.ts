import { Module } from '@nestjs/common';
import { ConductErasureService } from './application/conduct-erasure.service';

/** What the worker does with the conduct of users who are erased. */
@Module({ providers: [ConductErasureService], exports: [ConductErasureService] })
export class ConductErasureModule {}
