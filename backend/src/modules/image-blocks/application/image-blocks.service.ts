import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BlockedImage } from '@thaw/contract/moderation-records';
import type { HouseRule } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { refuseLostConflict } from '../../../platform/event-store/lost-conflict.functions';
import { imageBlockDecider } from '../domain/image-block.decider';
import { buildImageStreamId } from '../domain/image-block.events';
import type { BlockedImageEntity } from '../infrastructure/blocked-image.entity';
import { BlockedImageRepository } from '../infrastructure/blocked-image.repository';

export interface ImageHashes {
  /** In hex, of the file as it was sent. */
  sha256: string;
  /** Difference hash of the picture, in hex; null when it is not known. */
  dhash: string | null;
}

/** An entry of the list. `sha256` is that of the blocked file, which a near copy does not share. */
export interface ImageBlock {
  id: number;
  sha256: string;
  rule: HouseRule;
}

export interface ImagesToBlock {
  images: readonly ImageHashes[];
  rule: HouseRule;
  caseId: number | null;
  moderatorId: number;
}

/** Bits that may differ between copies of a picture. */
const MAX_DISTANCE = 4;
const [MIN_BITS, MAX_BITS] = [8, 56];

const hasStructure = (dhash: string): boolean => {
  const bits = [...BigInt(`0x${dhash}`).toString(2)].filter((bit) => bit === '1').length;
  return bits >= MIN_BITS && bits <= MAX_BITS;
};

/** The images that no user can upload. Depends on the platform only, so that uploads may ask. */
@Injectable()
export class ImageBlocksService {
  constructor(
    private readonly images: BlockedImageRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * The block of a file with this SHA-256; null if there is none. One query by a unique
   * index: an upload costs far more, and a cache would let a blocked image in until all replicas know of it.
   */
  async findBlock(sha256: string): Promise<ImageBlock | null> {
    return this.images.findByHash(sha256);
  }

  /**
   * The block of the most similar picture; null if none is similar enough. Pictures without structure, such as a plain
   * colour, are similar to everything and never compared.
   */
  async findNearBlock(dhash: string): Promise<ImageBlock | null> {
    return hasStructure(dhash) ? this.images.findNear(dhash, MAX_DISTANCE) : null;
  }

  /** All blocked images, newest first. */
  async list(): Promise<BlockedImage[]> {
    return (await this.images.findAll()).map(toBlockedImage);
  }

  /** Blocks images; those that are blocked already stay as they are. The caller retries a version conflict. */
  async block({ images, ...fields }: ImagesToBlock, manager: EntityManager): Promise<void> {
    const byHash = new Map(images.map((image) => [image.sha256, image]));
    const unique = [...byHash.values()].sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
    const ids = await this.images.reserveIds(unique.length, manager);
    for (const [index, { sha256, dhash }] of unique.entries()) {
      const imageId = ids[index];
      if (imageId === undefined) throw new Error('The sequence conduct_ids returned too few numbers');
      const command = {
        eventId: randomUUID(),
        at: new Date(),
        sha256,
        dhash: dhash !== null && hasStructure(dhash) ? dhash : null,
        imageId,
        ...fields,
      };
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
   * @throws DomainError not_found when no image is blocked under this number, unavailable
   */
  async unblock(
    imageId: number,
    moderatorId: number,
    alongside: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const image = await this.images.find(imageId);
    if (!image) throw new DomainError('not_found');
    const { sha256 } = image;
    await refuseLostConflict(() =>
      this.executor.runInTransaction(async (manager) => {
        const command = { eventId: randomUUID(), at: new Date(), sha256, imageId, moderatorId };
        await this.executor.execute(
          buildImageStreamId(sha256),
          imageBlockDecider,
          { type: 'UnblockImage', ...command },
          manager,
        );
        await alongside(manager);
      }),
    );
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
