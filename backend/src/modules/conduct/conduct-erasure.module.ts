import { Module } from '@nestjs/common';
import { ConductErasureService } from './application/conduct-erasure.service';

/** Erases the words of erased users in the streams about users' conduct, in the worker. */
@Module({ providers: [ConductErasureService], exports: [ConductErasureService] })
export class ConductErasureModule {}
