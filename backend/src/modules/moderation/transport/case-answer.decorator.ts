import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ModerationCaseDto } from './case.dto';

/** A route that acts on a version of a case and answers with the whole case. */
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
