import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';
import { type HttpErrorBody, type HttpErrorCode, httpErrorStatus } from '@thaw/contract/error-codes';

const codes = Object.keys(httpErrorStatus) as HttpErrorCode[];

export class HttpErrorDto implements HttpErrorBody {
  @ApiProperty({ type: 'integer' })
  statusCode: number;

  @ApiProperty({ enum: codes })
  code: HttpErrorCode;

  @ApiProperty({ description: 'Text that may be shown to the user' })
  message: string;
}

/** Documents the error codes of a route, one response per status. */
export const ApiProblems = (...problems: readonly HttpErrorCode[]) => {
  const statuses = new Set(problems.map((code) => httpErrorStatus[code]));
  return applyDecorators(
    ...[...statuses].map((status) => {
      const description = problems.filter((code) => httpErrorStatus[code] === status).join(', ');
      return ApiResponse({ status, description, type: HttpErrorDto });
    }),
  );
};
