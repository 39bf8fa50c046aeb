import { Body, Controller, Post, UploadedFile, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCookieAuth, ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { RateLimitedBy, RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { UploadsService } from '../application/uploads.service';
import { PlainFieldsPipe } from './plain-fields.pipe';
import type { FormFile } from './multipart-form.parser';
import { UploadInterceptor } from './upload.interceptor';
import { UploadResponseDto, UploadDto, UploadFormDto } from './upload.dto';

@ApiTags('uploads')
@ApiCookieAuth()
@Controller('upload')
@UseGuards(SignedInGuard, RateLimitGuard)
export class UploadController {
  constructor(private readonly uploads: UploadsService) {}

  @Post()
  @RateLimitedBy('uploads', 'user')
  @UseInterceptors(UploadInterceptor)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: UploadFormDto })
  @ApiCreatedResponse({ type: UploadResponseDto })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'too_large',
    'unsupported_type',
    'image_refused',
    'rate_limited',
    'unavailable',
  )
  async upload(
    @CurrentLogin() { userId }: Login,
    @UploadedFile() file: FormFile | undefined,
    @Body(new PlainFieldsPipe(), new ValidBodyPipe(UploadDto)) { bucket, fileName }: UploadDto,
  ): Promise<UploadResponseDto> {
    if (!file) throw new DomainError('validation_failed');
    return { url: await this.uploads.receive({ ownerId: userId, bucket, fileName, bytes: file.buffer }) };
  }
}
