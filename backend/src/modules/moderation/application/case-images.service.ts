import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import type { ImageHashes } from '../../image-blocks/application/image-blocks.service';
import { type HeldImage, HeldImagesService } from '../../uploads/application/held-images.service';
import { CaseRepository } from '../infrastructure/case.repository';
import { AuditService } from './audit.service';
import { CasesService } from './cases.service';
import { type EvidenceImage, listEvidenceImages } from './stored-evidence.mapper';

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
    const key = (await this.listImages(userId, caseId)).find((image) => image.imageId === imageId)?.key;
    if (key === undefined) throw new DomainError('not_found');
    await this.audit.record({ moderatorId, action: 'image_read', caseId, userId, imageId });
    const image = await this.heldImages.open(key);
    if (!image) throw new DomainError('not_found');
    return image;
  }

  /**
   * Finds the hashes needed to block images of the case. An image that was sent before hashes were stored has none, and
   * the result omits it.
   * @throws DomainError not_found when the case has no such image
   */
  async findHashes(userId: number, caseId: number, imageIds: readonly number[]): Promise<ImageHashes[]> {
    if (imageIds.length === 0) return [];
    const images = await this.listImages(userId, caseId);
    const keys = imageIds.map((wantedId) => {
      const image = images.find(({ imageId }) => imageId === wantedId);
      if (!image) throw new DomainError('not_found');
      return image.key;
    });
    return this.repository.findImageHashes(keys);
  }

  private async listImages(userId: number, caseId: number): Promise<EvidenceImage[]> {
    // Includes events of the user's other cases, without their personal fields.
    const events = await this.repository.readConduct(userId, caseId);
    return events
      .filter(({ data }) => data.caseId === caseId)
      .flatMap(({ data }) => listEvidenceImages(data.evidence));
  }
}
