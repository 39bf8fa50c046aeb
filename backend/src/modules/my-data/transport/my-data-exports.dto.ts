import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type ExportReady, type RequestExport, requestExportSchema } from '@thaw/contract/my-data-export';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class RequestExportDto implements RequestExport {
  @ApiPropertyOptional({ description: 'Required for registered users' })
  @MatchesSchema(requestExportSchema.shape.currentPassword)
  currentPassword?: string;
}
assertType<SameShape<RequestExportDto, RequestExport>>();

export class ExportReadyDto implements ExportReady {
  @ApiProperty({
    description: 'Relative URL. It serves one download, and only to the login that requested the export',
  })
  url: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}
assertType<SameShape<ExportReadyDto, ExportReady>>();
