import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { parseUploadUrl, type UploadAddress } from '@thaw/contract/uploads';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { UploadsService } from '../application/uploads.service';

/**
 * A cached image is immutable, because a key is never reused for another image. Caches keep it for a day only, because
 * images expire.
 */
const CACHE_CONTROL = 'private, max-age=86400, immutable';

@ApiTags('uploads')
@ApiCookieAuth()
@Controller('files')
@UseGuards(SignedInGuard)
export class FilesController {
  constructor(private readonly uploads: UploadsService) {}

  @Get(':bucket/*key')
  @ApiParam({ name: 'key', type: String, description: 'The key of the image, which may contain one slash' })
  @ApiOkResponse({ description: 'The image', content: { 'image/jpeg': {}, 'image/webp': {} } })
  @ApiProblems('not_signed_in', 'not_found', 'unavailable')
  async read(
    @CurrentLogin() { userId }: Login,
    @Param('bucket') bucket: string,
    @Param('key') key: string | string[],
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // Express splits a wildcard at its slashes.
    const address = requireAddress(bucket, typeof key === 'string' ? key : key.join('/'));
    const image = await this.uploads.requireVisibleImage(userId, address);
    const etag = `"${address.key}"`;
    const commonHeaders = {
      ETag: etag,
      'Cache-Control': CACHE_CONTROL,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    };
    if (hasCached(request, etag)) {
      response.status(304).set(commonHeaders).end();
      return;
    }
    const imageHeaders = {
      ...commonHeaders,
      'Content-Type': image.contentType,
      'Content-Length': String(image.size),
    };
    // Express routes HEAD requests to the handler of GET.
    if (request.method === 'HEAD') {
      response.set(imageHeaders).end();
      return;
    }
    const content = await image.open();
    response.set(imageHeaders);
    // `pipeline` rejects when the viewer or the storage disconnects. The status is already sent, so the response is cut
    // off.
    await pipeline(content, response).catch(() => response.destroy());
  }
}

/** @throws DomainError not_found for a path that cannot be that of an image. */
const requireAddress = (bucket: string, key: string): UploadAddress => {
  const address = parseUploadUrl(`/api/files/${bucket}/${key}`);
  if (!address) throw new DomainError('not_found');
  return address;
};

/** Whether the client's cache has the image with this ETag. */
const hasCached = (request: Request, etag: string): boolean => {
  // `If-None-Match` does not distinguish weak ETags (`W/`) from strong ones.
  const knownEtags = (request.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  return knownEtags.includes(etag) || knownEtags.includes('*');
};
