import { applyDecorators, Controller, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiTags } from '@nestjs/swagger';
import { ModeratorGuard } from '../../../platform/http/moderator.guard';
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';

/**
 * Class decorator of a controller whose routes are for moderators only. The guards refuse others before ids and bodies
 * are parsed.
 */
export const ModerationController = (path: string): ClassDecorator =>
  applyDecorators(
    ApiTags('moderation'),
    ApiCookieAuth(),
    Controller(path),
    UseGuards(ModeratorGuard, RateLimitGuard),
  );
