import { Global, Module } from '@nestjs/common';
import { GracefulStop } from './graceful-stop';

@Global()
@Module({ providers: [GracefulStop], exports: [GracefulStop] })
export class LifecycleModule {}
