import { Global, Module } from '@nestjs/common';
import { MemoryValveService } from './memory-valve.service';

@Global()
@Module({ providers: [MemoryValveService], exports: [MemoryValveService] })
export class MemoryValveModule {}
