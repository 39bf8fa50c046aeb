import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { listImageUrls } from '@thaw/contract/image-markers';
import type { MessageType } from '@thaw/contract/scalars';
import { normalizeText } from '@thaw/contract/text';
import {
  createUploadKey,
  parseUploadUrl,
  type UploadAddress,
  type UploadBucket,
  type UploadPrefix,
  uploadPrefixes,
  uploadUrl,
} from '@thaw/contract/uploads';
import type { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import type { DroppedData } from '../../../platform/event-store/personal-data.repository';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { type ImageBlock, ImageBlocksService } from '../../image-blocks/application/image-blocks.service';
import { type NewUpload, UploadRepository } from '../infrastructure/upload.repository';
import { ImageClassifierService } from './image-classifier.service';
import { ImageProcessingService } from './image-processing.service';
import { listShownImages } from './shown-image.mapper';
import { UNUSED_IMAGE_USABLE_FOR_MS } from './upload-lifetime.limits';

export interface ReceivedImage {
  ownerId: number;
  bucket: UploadBucket;
  /** Chosen by the client. Only an allowed folder prefix of it is used. */
  fileName: string;
  bytes: Buffer;
}

export interface VisibleImage {
  contentType: string;
  /** In bytes. */
  size: number;
  /**
   * Opens the file.
   * @throws DomainError not_found, unavailable
   */
  open: () => Promise<Readable>;
}

export interface ImageMessage {
  senderId: number;
  receiverId: number;
  messageType: MessageType;
  content: string;
}

@Injectable()
export class UploadsService {
  private readonly logger = new Logger(UploadsService.name);

  constructor(
    private readonly uploads: UploadRepository,
    private readonly processor: ImageProcessingService,
    private readonly classifier: ImageClassifierService,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
    private readonly limiter: RateLimiterService,
    private readonly imageBlocks: ImageBlocksService,
    private readonly processEvents: ProcessEventsService,
  ) {}

  /**
   * Re-encodes and stores an image. A chat image is visible to its owner only, until access is granted to a receiver.
   * An image that moderators have blocked, or a near copy of one, is refused and reported to moderators. If a
   * classifier considers the image explicit, an avatar is refused, and the URL of a chat image contains `.explicit`.
   * @returns the URL of the image.
   * @throws DomainError unsupported_type, image_refused, rate_limited, unavailable
   */
  async receive({ ownerId, bucket, fileName, bytes }: ReceivedImage): Promise<string> {
    await this.limiter.require('uploaded_bytes', ownerId, bytes.length);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const block = await this.imageBlocks.findBlock(sha256);
    if (block) await this.refuseBlocked(ownerId, block);
    const image = await this.processor.process(bytes, bucket);
    const nearBlock = await this.imageBlocks.findNearBlock(image.dhash);
    if (nearBlock) await this.refuseBlocked(ownerId, nearBlock);
    const isExplicit = await this.classifier.isExplicit(image);
    if (isExplicit && bucket === 'avatars') throw new DomainError('image_refused');
    const key = createUploadKey({
      prefix: pickAllowedPrefix(fileName),
      uuid: randomUUID(),
      isExplicit,
      extension: image.extension,
    });
    const { contentType, width, height, dhash } = image;
    const size = image.bytes.length;
    await this.store({ key, bucket, ownerId, contentType, sha256, dhash, width, height, size }, image.bytes);
    return uploadUrl({ bucket, key });
  }

  /**
   * @throws DomainError not_found when there is no such image, or the viewer may not see it
   * (docs/product-decisions.md, A100).
   */
  async requireVisibleImage(viewerId: number, address: UploadAddress): Promise<VisibleImage> {
    const upload = await this.uploads.findVisible(address, viewerId);
    if (!upload) throw new DomainError('not_found');
    const { contentType, size } = upload;
    return { contentType, size, open: () => this.openFile(address) };
  }

  /** @throws DomainError validation_failed when the new avatar is not an avatar image that the user uploaded. */
  @InTransaction('ProfileChanging')
  async requireOwnAvatar({
    userId,
    avatar,
    previousAvatar,
  }: TransactionEventMap['ProfileChanging']): Promise<void> {
    if (avatar === null || avatar === previousAvatar) return;
    if (!(await this.isOwnedBy(userId, avatar, 'avatars'))) throw new DomainError('validation_failed');
  }

  /**
   * Whether the user uploaded the image with this URL into the bucket, and can still use it. An image that has been
   * unused for `UNUSED_IMAGE_USABLE_FOR_MS` cannot be used, because a sweep may remove it.
   */
  async isOwnedBy(userId: number, url: string, bucket: UploadBucket): Promise<boolean> {
    return this.areOwned(userId, [url], bucket);
  }

  /**
   * Grants a viewer access to chat images, without checking their owner (`share` does). Call it before the message that
   * shows them is appended.
   * @throws DomainError image_not_yours, with no access granted, when a URL is not that of an existing chat image.
   */
  async grant(urls: string | readonly string[], viewerId: number): Promise<void> {
    const keys = parseKeys(typeof urls === 'string' ? [urls] : urls, 'chat-images');
    if (keys === null || !(await this.uploads.grant(keys, viewerId, new Date()))) {
      throw new DomainError('image_not_yours');
    }
  }

  /**
   * Prepares a message with images, before it is appended: checks that the sender owns them, and grants the receiver
   * access. Does nothing for a text message.
   * @throws DomainError image_not_yours when the message shows no image, or one that the sender does not own.
   */
  async share({ senderId, receiverId, messageType, content }: ImageMessage): Promise<void> {
    if (messageType === 'text') return;
    const urls = listImageUrls(messageType, normalizeText(content)); // as the message will be stored
    if (urls.length === 0 || !(await this.areOwned(senderId, urls, 'chat-images'))) {
      throw new DomainError('image_not_yours');
    }
    await this.grant(urls, receiverId);
  }

  /**
   * Undoes `share`, in the transaction that deletes messages and drops their contents. From the commit on, receivers
   * have no access to the images of these messages, and the images are removed. Images and access that another message
   * needs are kept.
   */
  async withdraw(droppedContents: readonly DroppedData[], manager: EntityManager): Promise<void> {
    await this.uploads.releaseUses(droppedContents.flatMap(listShownImages), new Date(), manager);
  }

  /** Reports an upload of a blocked image, and refuses it. @throws DomainError image_refused, always */
  private async refuseBlocked(
    ownerId: number,
    { id: blockedImageId, sha256, rule }: ImageBlock,
  ): Promise<never> {
    await this.processEvents.deliver('BlockedImageSent', { userId: ownerId, blockedImageId, sha256, rule });
    throw new DomainError('image_refused');
  }

  /** Stores the file between two writes of its row, so that a file without a row never exists. */
  private async store(upload: NewUpload, bytes: Buffer): Promise<void> {
    const { bucket, key, contentType } = upload;
    await this.uploads.insertUnfinished(upload, new Date());
    await this.storage.put({ bucket, key }, bytes, contentType);
    const isStored = await this.uploads.markStored(key, new Date());
    // Storing took so long that a sweep has removed the unfinished upload.
    if (!isStored) throw new DomainError('unavailable');
  }

  private async areOwned(userId: number, urls: readonly string[], bucket: UploadBucket): Promise<boolean> {
    const keys = parseKeys(urls, bucket);
    if (keys === null) return false;
    return this.uploads.areOwned(keys, bucket, userId, new Date(Date.now() - UNUSED_IMAGE_USABLE_FOR_MS));
  }

  private async openFile(address: UploadAddress): Promise<Readable> {
    const file = await this.storage.open(address);
    if (!file) {
      this.logger.error(`The file of upload ${address.bucket}/${address.key} is missing`);
      throw new DomainError('not_found');
    }
    return file.content;
  }
}

/** @returns the folder prefix of the client's file name if it is allowed; '' otherwise. */
const pickAllowedPrefix = (fileName: string): UploadPrefix | '' =>
  uploadPrefixes.find((prefix) => fileName.startsWith(prefix)) ?? '';

/** @returns null when one of the URLs is not that of an image in the bucket. */
const parseKeys = (urls: readonly string[], bucket: UploadBucket): string[] | null => {
  const addresses = urls.map(parseUploadUrl);
  const keys = addresses.flatMap((address) => (address?.bucket === bucket ? address.key : []));
  return keys.length === urls.length ? keys : null;
};
