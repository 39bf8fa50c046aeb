import { ApiProperty } from '@nestjs/swagger';
import {
  type UploadResponse,
  type UploadBucket,
  uploadBucketSchema,
  type UploadFields,
  uploadFieldsSchema,
} from '@thaw/contract/uploads';
import { IsString } from 'class-validator';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class UploadDto implements UploadFields {
  @ApiProperty({ enum: uploadBucketSchema.options })
  @MatchesSchema(uploadFieldsSchema.shape.bucket)
  bucket: UploadBucket;

  @ApiProperty({ description: 'The server keeps only a leading profiles/ or private-chat/' })
  @IsString()
  fileName: string;
}
assertType<SameShape<UploadDto, UploadFields>>();

/** For the API documentation only: multer passes the file separately from the fields. */
export class UploadFormDto extends UploadDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'JPEG, PNG, GIF or WebP, 5 MiB at most' })
  file: unknown;
}

export class UploadResponseDto implements UploadResponse {
  @ApiProperty({ description: 'Relative URL of the image: /api/files/{bucket}/{key}' })
  url: string;
}
assertType<SameShape<UploadResponseDto, UploadResponse>>();
