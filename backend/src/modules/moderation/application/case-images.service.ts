import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import type { ImageHashes } from '../../image-blocks/application/image-blocks.service';
import { type HeldImage, HeldImagesService } from '../../uploads/application/held-images.service';
import { CaseRepository } from '../infrastructure/case.repository';
import { AuditService } from './audit.service';
import { CasesService } from './cases.service';
import { type EvidenceImage, listEvidenceImages } from './stored-evidence.mapper';

/** An image of a case that can be added to the image block-list. */
export interface BlockableImage extends ImageHashes {
  imageId: number;
}

const requireKey = (images: readonly EvidenceImage[], imageId: number): string => {
  const image = images.find((candidate) => candidate.imageId === imageId);
  if (!image) throw new DomainError('not_found');
  return image.key;
};

/** The images in the evidence of cases. A case holds their files, so an image stays even if its sender deletes it. */
@Injectable()
export class CaseImagesService {
  constructor(
    private readonly cases: CasesService,
    private readonly repository: CaseRepository,
    private readonly audit: AuditService,
    private readonly heldImages: HeldImagesService,
    private readonly limiter: RateLimiterService,
  ) {}

  /**
   * Opens an image of a case's evidence, after recording the read in the audit log.
   * @throws DomainError not_found when there is no such case, the case has no such image, or the image was erased;
   * rate_limited after too many reads in an hour; unavailable when the storage does not respond
   */
  async open(moderatorId: number, caseId: number, imageId: number): Promise<HeldImage> {
    const userId = await this.cases.requireUserId(caseId); // the user whom the case is about
    await this.limiter.require('evidence_reads', moderatorId);
    const key = requireKey(await this.listImages(userId, caseId), imageId);
    await this.audit.record({ moderatorId, action: 'image_read', caseId, userId, imageId });
    const image = await this.heldImages.open(key);
    if (!image) throw new DomainError('not_found');
    return image;
  }

  /**
   * Finds images of the case with the hashes by which they are blocked. Leaves out images that were sent before hashes
   * were stored.
   * @throws DomainError not_found when the case has no such image
   */
  async findBlockable(
    userId: number,
    caseId: number,
    imageIds: readonly number[],
  ): Promise<BlockableImage[]> {
    if (imageIds.length === 0) return [];
    const images = await this.listImages(userId, caseId);
    const keys = imageIds.map((imageId) => requireKey(images, imageId));
    const rows = await this.repository.findImageHashes(keys);
    return imageIds.flatMap((imageId, index) => {
      const row = rows.find(({ key }) => key === keys[index]);
      return row ? [{ imageId, sha256: row.sha256, dhash: row.dhash }] : [];
    });
  }

  private async listImages(userId: number, caseId: number): Promise<EvidenceImage[]> {
    // The events of all cases about the user; those of other cases lack their evidence, a personal field.
    const events = await this.repository.readConduct(userId, caseId);
    return events
      .filter(({ data }) => data.caseId === caseId)
      .flatMap(({ data }) => listEvidenceImages(data.evidence));
  }
}
