import { Global, Module } from '@nestjs/common';
import { AllowedOriginsService } from './allowed-origins.service';
import { HttpErrorFilter } from './http-error.filter';

@Global()
@Module({
  providers: [AllowedOriginsService, HttpErrorFilter],
  exports: [AllowedOriginsService, HttpErrorFilter],
})
export class HttpModule {}
