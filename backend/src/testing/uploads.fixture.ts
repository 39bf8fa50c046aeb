import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseUploadUrl, type UploadBucket } from '@thaw/contract/uploads';
import { UploadRemovalService } from '../modules/uploads/application/upload-removal.service';
import { UploadsService } from '../modules/uploads/application/uploads.service';
import { UploadRepository } from '../modules/uploads/infrastructure/upload.repository';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import type { DroppedData } from '../platform/event-store/personal-data.repository';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../platform/storage/file-storage.port';
import { createPlainJpeg } from './image-corpus.fixture';
import { startTestApi, type TestApi } from './test-api.harness';

const HOUR_MS = 60 * 60_000;

/** Creates a message of a random chat, in the form that the handlers of expired data receive. Does not store it. */
export const createMessage = (senderId: number, messageType: string, content: string): DroppedData => ({
  streamId: `chat-${randomUUID()}`,
  eventId: randomUUID(),
  type: 'MessageSent',
  data: { senderId, messageType, content, replyTo: null },
});

/** Returns the bucket and the key of an image. */
export const parseImageUrl = (url: string) => parseUploadUrl(url)!;

/** The services that store and remove images, on an api replica with files in a temporary folder. */
export class TestUploads {
  readonly uploads: UploadsService;
  readonly repository: UploadRepository;
  readonly storage: FileStoragePort;
  readonly removal: UploadRemovalService;

  private constructor(
    readonly api: TestApi,
    private readonly folder: string,
    private readonly jpeg: Buffer,
  ) {
    this.uploads = api.app.get(UploadsService);
    this.repository = api.app.get(UploadRepository);
    this.storage = api.app.get<FileStoragePort>(FILE_STORAGE_PORT);
    // Only the modules of the worker provide this service.
    this.removal = new UploadRemovalService(this.repository, this.storage);
  }

  static async start(): Promise<TestUploads> {
    const folder = await mkdtemp(path.join(tmpdir(), 'thaw-uploads-'));
    // 'load': rate limits that tests do not reach.
    const api = await startTestApi({ STORAGE_DIR: folder, LIMITS_PROFILE: 'load' });
    return new TestUploads(api, folder, await createPlainJpeg(8, 8));
  }

  async close(): Promise<void> {
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Deletes the rows of all images and of their uses by messages and profiles, and the files of chat images. */
  async reset(): Promise<void> {
    await this.query('DELETE FROM uploads');
    await this.query('DELETE FROM upload_uses');
    await rm(path.join(this.folder, 'chat-images'), { recursive: true, force: true });
  }

  query<Rows extends object[]>(sql: string, parameters: unknown[] = []): Promise<Rows> {
    return this.api.database.dataSource.query<Rows>(sql, parameters);
  }

  /** Stores an image of a user, as the route for uploads does. @returns its URL. */
  uploadImage(ownerId: number, bucket: UploadBucket = 'chat-images'): Promise<string> {
    return this.uploads.receive({ ownerId, bucket, fileName: '', bytes: this.jpeg });
  }

  /** @throws when the service refuses for another reason than `not_found` */
  isVisibleTo(viewerId: number, url: string): Promise<boolean> {
    return this.uploads.requireVisibleImage(viewerId, parseImageUrl(url)).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'not_found' });
        return false;
      },
    );
  }

  async hasFile(url: string): Promise<boolean> {
    const file = await this.storage.open(parseImageUrl(url));
    file?.content.destroy();
    return file !== null;
  }

  listChatImageFiles(): Promise<string[]> {
    return readdir(path.join(this.folder, 'chat-images')).catch(() => []);
  }

  readUploadRows(): Promise<{ key: string; unused_since: Date | null }[]> {
    return this.query('SELECT * FROM uploads ORDER BY key');
  }

  /**
   * Sweeps as if `hours` had passed: marks unused images as removed, then deletes the files of all removed images.
   * @returns the number of deleted files.
   */
  sweepAfterHours(hours: number): Promise<number> {
    return this.removal.sweep(new Date(Date.now() + hours * HOUR_MS));
  }

  /** Appends a message to a new chat. @returns the message, for `expireMessages`. */
  async appendMessage(senderId: number, messageType: string, content: string): Promise<DroppedData> {
    const message = createMessage(senderId, messageType, content);
    const { streamId, ...event } = message;
    await this.api.app
      .get(EventStoreRepository)
      .appendBatch([{ streamId, event: { ...event, occurredAt: new Date() } }]);
    return message;
  }

  /** Handles the expiry of messages: removes their images, unless another message shows them. */
  expireMessages(...messages: DroppedData[]): Promise<void> {
    return this.removal.releaseImagesOf(messages, this.api.database.dataSource.manager);
  }

  /** Appends a change of the user's profile, which uses the image of the avatar. */
  async changeAvatar(userId: number, avatar: string | null, occurredAt = new Date()): Promise<void> {
    const data = { userId, username: 'Ada', avatar };
    await this.api.app
      .get(EventStoreRepository)
      .append(`user-${userId}`, 'any', [{ eventId: randomUUID(), type: 'ProfileChanged', data, occurredAt }]);
  }
}
