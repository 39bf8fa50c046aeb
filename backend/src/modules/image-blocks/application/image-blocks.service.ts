import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BlockedImage } from '@thaw/contract/moderation-records';
import type { HouseRule } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { imageBlockDecider } from '../domain/image-block.decider';
import { buildImageStreamId } from '../domain/image-block.events';
import type { BlockedImageEntity } from '../infrastructure/blocked-image.entity';
import { BlockedImageRepository } from '../infrastructure/blocked-image.repository';

export interface ImagesToBlock {
  /** In hex, of the files as they were sent. */
  hashes: readonly string[];
  rule: HouseRule;
  caseId: number | null;
  moderatorId: number;
}

/** The images that no user can upload. Depends on the platform only, so that uploads may ask. */
@Injectable()
export class ImageBlocksService {
  constructor(
    private readonly images: BlockedImageRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * The number and the rule under which a file with this SHA-256 is blocked; null if it is not. One query by a unique
   * index: an upload costs far more, and a cache would let a blocked image in until all replicas know of it.
   */
  async findBlock(sha256: string): Promise<{ id: number; rule: HouseRule } | null> {
    return this.images.findByHash(sha256);
  }

  /** All blocked images, newest first. */
  async list(): Promise<BlockedImage[]> {
    return (await this.images.findAll()).map(toBlockedImage);
  }

  /** Blocks images; those that are blocked already stay as they are. The caller retries a version conflict. */
  async block({ hashes, ...fields }: ImagesToBlock, manager: EntityManager): Promise<void> {
    const unique = [...new Set(hashes)].sort();
    const ids = await this.images.reserveIds(unique.length);
    for (const [index, sha256] of unique.entries()) {
      const imageId = ids[index];
      if (imageId === undefined) throw new Error('The sequence conduct_ids returned too few numbers');
      const command = { eventId: randomUUID(), at: new Date(), sha256, imageId, ...fields };
      await this.executor.execute(
        buildImageStreamId(sha256),
        imageBlockDecider,
        { type: 'BlockImage', ...command },
        manager,
      );
    }
  }

  /**
   * Unblocks an image.
   * @param alongside runs in the same transaction.
   * @throws DomainError not_found when no image is blocked under this number
   */
  async unblock(
    imageId: number,
    moderatorId: number,
    alongside: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const image = await this.images.find(imageId);
    if (!image) throw new DomainError('not_found');
    const { sha256 } = image;
    await this.executor.runInTransaction(async (manager) => {
      const command = { eventId: randomUUID(), at: new Date(), sha256, moderatorId };
      await this.executor.execute(
        buildImageStreamId(sha256),
        imageBlockDecider,
        { type: 'UnblockImage', ...command },
        manager,
      );
      await alongside(manager);
    });
  }
}

const toBlockedImage = ({
  id,
  sha256,
  rule,
  caseId,
  moderatorId,
  createdAt,
}: BlockedImageEntity): BlockedImage => ({
  id,
  sha256,
  rule,
  caseId,
  moderatorId,
  createdAt: createdAt.toISOString(),
});
