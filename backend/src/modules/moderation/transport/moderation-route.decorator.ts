import { applyDecorators, Controller, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiTags } from '@nestjs/swagger';
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { ModeratorGuard } from './moderator.guard';

/** A controller whose routes are for moderators only. Guards run before ids and bodies are parsed. */
export const ModerationController = (path: string): ClassDecorator =>
  applyDecorators(
    ApiTags('moderation'),
    ApiCookieAuth(),
    Controller(path),
    UseGuards(SignedInGuard, ModeratorGuard, RateLimitGuard),
  );
