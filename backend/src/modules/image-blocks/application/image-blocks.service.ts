import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BlockedImage } from '@thaw/contract/moderation-records';
import type { HouseRule } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { throwUnavailableOnConflict } from '../../../platform/event-store/version-conflict.functions';
import type { BlockImage, UnblockImage } from '../domain/image-block.commands';
import { imageBlockDecider } from '../domain/image-block.decider';
import { buildImageStreamId } from '../domain/image-block.events';
import type { BlockedImageEntity } from '../infrastructure/blocked-image.entity';
import { BlockedImageRepository } from '../infrastructure/blocked-image.repository';

export interface ImageHashes {
  /** SHA-256 of the file as it was uploaded, in hex. */
  sha256: string;
  /** 64-bit difference hash of the picture, in hex; similar pictures differ in few bits. Null when it is not known. */
  dhash: string | null;
}

/** An entry of the list of blocked images, as uploads need it. Moderators see more of it: `BlockedImage`. */
export interface ImageBlock {
  id: number;
  /** The SHA-256 of the blocked file. A near copy of the picture has another one. */
  sha256: string;
  rule: HouseRule;
}

export interface ImagesToBlock {
  images: readonly ImageHashes[];
  rule: HouseRule;
  /** The case whose decision blocks the images; null for a block outside a case. */
  caseId: number | null;
  moderatorId: number;
}

/**
 * Bits in which the difference hashes of copies of a picture may differ
 * (docs/decisions/0067-near-copies-are-found-by-a-difference-hash.md).
 */
const MAX_DIFFERING_BITS = 4;
// The numbers of set bits that a difference hash can have if its picture has structure.
const MIN_SET_BITS = 8;
const MAX_SET_BITS = 56;

/** False for the difference hash of a picture without structure, such as a plain colour. */
const hasStructure = (dhash: string): boolean => {
  const setBits = [...BigInt(`0x${dhash}`).toString(2)].filter((bit) => bit === '1').length;
  return setBits >= MIN_SET_BITS && setBits <= MAX_SET_BITS;
};

/**
 * The list of images that no user can upload. Depends on no other module: the uploads module uses it, and many modules
 * depend on uploads.
 */
@Injectable()
export class ImageBlocksService {
  constructor(
    private readonly blockedImages: BlockedImageRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * The block of a file with this SHA-256; null if there is none. The result is not cached: the query uses a unique
   * index and costs far less than an upload, and a cache would admit a blocked image until all replicas know of it.
   */
  async findBlock(sha256: string): Promise<ImageBlock | null> {
    return this.blockedImages.findByHash(sha256);
  }

  /**
   * The block of the most similar picture; null if none is similar enough. Pictures without structure are never
   * compared, because their hashes are similar to many others.
   */
  async findNearBlock(dhash: string): Promise<ImageBlock | null> {
    return hasStructure(dhash) ? this.blockedImages.findNear(dhash, MAX_DIFFERING_BITS) : null;
  }

  /** All blocked images, newest first. */
  async list(): Promise<BlockedImage[]> {
    return (await this.blockedImages.findAll()).map(toBlockedImage);
  }

  /**
   * Blocks images; those that are blocked already stay as they are.
   * @param manager the caller's transaction, which the caller retries on a version conflict.
   */
  async block({ images, rule, caseId, moderatorId }: ImagesToBlock, manager: EntityManager): Promise<void> {
    const imagesBySha256 = new Map(images.map((image) => [image.sha256, image]));
    // In a fixed order, so that two transactions that block the same images cannot deadlock.
    const distinctImages = [...imagesBySha256.values()].sort((one, other) =>
      one.sha256 < other.sha256 ? -1 : 1,
    );
    const imageIds = await this.blockedImages.reserveIds(distinctImages.length, manager);
    for (const [index, { sha256, dhash }] of distinctImages.entries()) {
      const imageId = imageIds[index];
      if (imageId === undefined) throw new Error('The sequence conduct_ids returned too few numbers');
      const command: BlockImage = {
        type: 'BlockImage',
        eventId: randomUUID(),
        at: new Date(),
        imageId,
        sha256,
        dhash: dhash !== null && hasStructure(dhash) ? dhash : null,
        rule,
        caseId,
        moderatorId,
      };
      await this.executor.execute(buildImageStreamId(sha256), imageBlockDecider, command, manager);
    }
  }

  /**
   * Unblocks an image.
   * @param work runs in the same transaction, for example to record the moderator's action in the audit log.
   * @throws DomainError not_found when there is no block with this id; unavailable when other writers were faster in
   * every attempt.
   */
  async unblock(
    imageId: number,
    moderatorId: number,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const image = await this.blockedImages.find(imageId);
    if (!image) throw new DomainError('not_found');
    const { sha256 } = image;
    await throwUnavailableOnConflict(() =>
      this.executor.runInTransaction(async (manager) => {
        const command: UnblockImage = {
          type: 'UnblockImage',
          eventId: randomUUID(),
          at: new Date(),
          imageId,
          sha256,
          moderatorId,
        };
        await this.executor.execute(buildImageStreamId(sha256), imageBlockDecider, command, manager);
        await work(manager);
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
