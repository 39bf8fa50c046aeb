import { Global, Module } from '@nestjs/common';
import { AllowedOrigins } from './allowed-origins';
import { HttpErrorFilter } from './http-error.filter';

@Global()
@Module({ providers: [AllowedOrigins, HttpErrorFilter], exports: [AllowedOrigins, HttpErrorFilter] })
export class HttpModule {}
