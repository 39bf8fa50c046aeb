import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ModerationCaseDto } from './case.dto';

/** Sets the status and documents the responses of a route that acts on one version of a case and returns the case. */
export const AnswersWithCase = (): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiOkResponse({ type: ModerationCaseDto }),
    ApiProblems(
      'validation_failed',
      'not_signed_in',
      'forbidden',
      'not_found',
      'case_changed',
      'claimed',
      'own_decision',
      'already_answered',
    ),
  );
