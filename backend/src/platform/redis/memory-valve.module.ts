import { Global, Module } from '@nestjs/common';
import { MemoryValve } from './memory-valve';

@Global()
@Module({ providers: [MemoryValve], exports: [MemoryValve] })
export class MemoryValveModule {}
