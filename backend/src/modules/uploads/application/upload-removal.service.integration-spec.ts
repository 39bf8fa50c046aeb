// Real: PostgreSQL, Redis, the services of an api replica; files in a folder.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withImageMarkers } from '@thaw/contract/image-markers';
import { parseUploadUrl, type UploadBucket } from '@thaw/contract/uploads';
import { DomainError } from '../../../platform/errors/domain.errors';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { ProjectionRebuildService } from '../../../platform/event-store/projection-rebuild.service';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { plainJpeg } from '../../../testing/image-corpus.fixture';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import { UploadRepository } from '../infrastructure/upload.repository';
import type { DroppedData } from '../../../platform/event-store/personal-data.repository';
import { UploadUses1763640600000 } from '../../../migrations/1763640600000-upload-uses';
import { UploadRemovalService } from './upload-removal.service';
import { UploadsService } from './uploads.service';

jest.setTimeout(60_000);

const HOUR_MS = 60 * 60_000;

describe('images', () => {
  let api: TestApi;
  let folder: string;
  let jpeg: Buffer;
  let uploads: UploadsService;
  let repository: UploadRepository;
  let storage: FileStoragePort;
  let removal: UploadRemovalService;
  let events: EventStoreRepository;
  let nextUserId = 1;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'thaw-removal-'));
    api = await startTestApi({ STORAGE_DIR: folder, LIMITS_PROFILE: 'load' });
    jpeg = await plainJpeg(8, 8);
    uploads = api.app.get(UploadsService);
    repository = api.app.get(UploadRepository);
    storage = api.app.get<FileStoragePort>(FILE_STORAGE_PORT);
    removal = new UploadRemovalService(repository, storage);
    events = api.app.get(EventStoreRepository);
  });
  beforeEach(async () => {
    nextUserId += 10;
    await api.database.dataSource.query('DELETE FROM uploads');
    await api.database.dataSource.query('DELETE FROM upload_uses');
    await rm(path.join(folder, 'chat-images'), { recursive: true, force: true });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  const receive = (ownerId: number, bucket: UploadBucket = 'chat-images'): Promise<string> =>
    uploads.receive({ ownerId, bucket, fileName: '', bytes: jpeg });

  const address = (url: string) => parseUploadUrl(url)!;

  const isSeenBy = (viewerId: number, url: string): Promise<boolean> =>
    uploads.seenBy(viewerId, address(url)).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'not_found' });
        return false;
      },
    );

  const isStored = async (url: string): Promise<boolean> => {
    const file = await storage.open(address(url));
    file?.content.destroy();
    return file !== null;
  };

  const rows = (): Promise<{ key: string; unused_since: Date | null }[]> =>
    api.database.dataSource.query('SELECT * FROM uploads ORDER BY key');

  const filesInFolder = (): Promise<string[]> => readdir(path.join(folder, 'chat-images')).catch(() => []);

  /** Sweeps as if `hours` had passed. */
  const sweepAfter = (hours: number): Promise<number> =>
    removal.sweep(new Date(Date.now() + hours * HOUR_MS));

  const message = (senderId: number, messageType: string, content: string): DroppedData => ({
    streamId: `chat-${randomUUID()}`,
    eventId: randomUUID(),
    type: 'MessageSent',
    data: { senderId, messageType, content, replyTo: null },
  });
  /** @returns the message as it is dropped on expiry. */
  const send = async (senderId: number, messageType: string, content: string): Promise<DroppedData> => {
    const sent = message(senderId, messageType, content);
    const { streamId, ...event } = sent;
    await events.appendBatch([{ streamId, event: { ...event, occurredAt: new Date() } }]);
    return sent;
  };
  const expire = (...dropped: DroppedData[]) => removal.expire(dropped, api.database.dataSource.manager);

  const changeAvatar = (userId: number, avatar: string | null, occurredAt = new Date()) =>
    events.append(`user-${userId}`, 'any', [
      {
        eventId: randomUUID(),
        type: 'ProfileChanged',
        data: { userId, username: 'Ada', avatar },
        occurredAt,
      },
    ]);

  describe('without a use', () => {
    it('are removed after a day and an hour of grace', async () => {
      const url = await receive(nextUserId);
      await sweepAfter(24.9);
      expect(await isSeenBy(nextUserId, url)).toBe(true);
      expect(await sweepAfter(25.1)).toBe(1);
      expect(await isSeenBy(nextUserId, url)).toBe(false);
      expect(await isStored(url)).toBe(false);
      expect(await rows()).toEqual([]);
    });

    it('cannot be sent during that hour', async () => {
      const url = await receive(nextUserId);
      expect(await uploads.ownedBy(nextUserId, url, 'chat-images')).toBe(true);
      await api.database.dataSource.query(`UPDATE uploads SET unused_since = now() - interval '24.5 hours'`);
      expect(await uploads.ownedBy(nextUserId, url, 'chat-images')).toBe(false);
      const message = { senderId: nextUserId, receiverId: 1, messageType: 'image', content: url } as const;
      await expect(uploads.share(message)).rejects.toMatchObject({ code: 'image_not_yours' });
    });

    it('start a new day when granted, and are removed when no message follows', async () => {
      const url = await receive(nextUserId);
      await api.database.dataSource.query(`UPDATE uploads SET unused_since = now() - interval '23 hours'`);
      await uploads.grant(url, nextUserId + 1);
      await sweepAfter(24);
      expect(await isSeenBy(nextUserId + 1, url)).toBe(true);
      await sweepAfter(26);
      expect(await isSeenBy(nextUserId + 1, url)).toBe(false);
      expect(await api.database.dataSource.query('SELECT * FROM upload_views')).toEqual([]);
    });

    it('are removed by the thousand', async () => {
      await api.database.dataSource.query(
        `INSERT INTO uploads (key, bucket, owner_id, content_type, size, width, height, created_at, stored_at, unused_since)
         SELECT gen_random_uuid() || '.jpg', 'chat-images', 1, 'image/jpeg', 1, 1, 1, now(), now(), now()
         FROM generate_series(1, 2500)`,
      );
      expect(await sweepAfter(26)).toBe(2_500);
      expect(await rows()).toEqual([]);
    });
  });

  describe('in use', () => {
    it('are kept while in a message', async () => {
      const [image, first, second, unused] = await Promise.all([1, 2, 3, 4].map(() => receive(nextUserId)));
      await send(nextUserId, 'image', image!);
      await send(nextUserId, 'mixed', withImageMarkers({ text: 'look', imageUrls: [first!, second!] }));
      await send(nextUserId, 'text', unused!);
      await sweepAfter(1_000);
      for (const url of [image!, first!, second!]) expect(await isSeenBy(nextUserId, url)).toBe(true);
      expect(await isSeenBy(nextUserId, unused!)).toBe(false);
    });

    it('are kept while in a message that only their owner can see', async () => {
      const url = await receive(nextUserId);
      await send(nextUserId + 1, 'image', url);
      await sweepAfter(26);
      expect(await isSeenBy(nextUserId, url)).toBe(false);
    });

    it('are kept while in a profile, until replaced', async () => {
      const [old, present] = [await receive(nextUserId, 'avatars'), await receive(nextUserId, 'avatars')];
      await changeAvatar(nextUserId, old);
      await changeAvatar(nextUserId, present);
      await sweepAfter(24);
      expect(await isSeenBy(1, old)).toBe(true);
      await sweepAfter(26);
      expect([await isSeenBy(1, old), await isSeenBy(1, present)]).toEqual([false, true]);
      await changeAvatar(nextUserId, null);
      await sweepAfter(26);
      expect(await isSeenBy(1, present)).toBe(false);
    });

    it('are kept in a rebuild, which does not restore removed ones', async () => {
      const [image, old, present, unused] = [
        await receive(nextUserId),
        await receive(nextUserId, 'avatars'),
        await receive(nextUserId, 'avatars'),
        await receive(nextUserId),
      ];
      await send(nextUserId, 'image', image);
      await changeAvatar(nextUserId, old, new Date('2026-11-20T12:00:00Z'));
      await changeAvatar(nextUserId, present, new Date('2026-11-20T13:00:00Z'));
      await expire(message(nextUserId, 'image', unused));
      const before = await rows();
      expect(before.map(({ unused_since: since }) => since === null).sort()).toEqual([
        false,
        false,
        true,
        true,
      ]);
      await api.app.get(ProjectionRebuildService).rebuild();
      expect(await rows()).toEqual(before);
    });
  });

  describe('of another user', () => {
    it('cannot be used or shared', async () => {
      const [ada, bob] = [nextUserId, nextUserId + 1];
      const [image, avatar] = [await receive(ada), await receive(ada, 'avatars')];
      const own = await receive(bob);
      expect(await uploads.ownedBy(ada, image, 'chat-images')).toBe(true);
      expect(await uploads.ownedBy(ada, avatar, 'avatars')).toBe(true);
      expect(await uploads.ownedBy(ada, image, 'avatars')).toBe(false);
      expect(await uploads.ownedBy(ada, avatar, 'chat-images')).toBe(false);
      expect(await uploads.ownedBy(bob, image, 'chat-images')).toBe(false);
      for (const url of ['', 'https://evil.example/a.png', `${image}?`, '/api/files/avatars/__proto__']) {
        expect(await uploads.ownedBy(ada, url, 'chat-images')).toBe(false);
        await expect(uploads.grant(url, bob)).rejects.toMatchObject({ code: 'image_not_yours' });
      }
      await expect(uploads.grant(avatar, bob)).rejects.toMatchObject({ code: 'image_not_yours' });

      const message = { senderId: bob, receiverId: bob + 1 };
      for (const content of [
        withImageMarkers({ text: 'mine', imageUrls: [own, image] }),
        `hidden\n[IMAGE:${image}] \n[IMAGE:${own}]`,
        `hidden\n[IMAGE:${image}]\u0007\n[IMAGE:${own}]`,
        `hidden\n[IMAGE:${image}]\n \n\t[IMAGE:${own}]`,
      ]) {
        await expect(uploads.share({ ...message, messageType: 'mixed', content })).rejects.toMatchObject({
          code: 'image_not_yours',
        });
      }
      for (const content of ['no image', image, avatar]) {
        await expect(uploads.share({ ...message, messageType: 'image', content })).rejects.toMatchObject({
          code: 'image_not_yours',
        });
      }
      expect(await isSeenBy(bob + 1, own)).toBe(false);
      await uploads.share({ ...message, messageType: 'text', content: image });
      await uploads.share({
        ...message,
        messageType: 'mixed',
        content: `two\n[IMAGE:${own}]\n[IMAGE:${own}]`,
      });
      expect(await isSeenBy(bob + 1, own)).toBe(true);
    });

    it('are granted all or none', async () => {
      const [first, second] = [await receive(nextUserId), await receive(nextUserId)];
      await expire(message(nextUserId, 'image', second));
      await expect(uploads.grant([first, second], 1)).rejects.toMatchObject({ code: 'image_not_yours' });
      expect(await isSeenBy(1, first)).toBe(false);
    });
  });

  describe('whose messages expire', () => {
    it('become invisible at once, and the next sweep deletes their files', async () => {
      const [expired, other] = [await receive(nextUserId), await receive(nextUserId)];
      await uploads.grant([expired, other], nextUserId + 1);
      const sent = await send(nextUserId, 'image', expired);
      const noImages = ['no address', '/api/files/chat-images/x.jpg', other];
      await expire(sent, ...noImages.map((content) => message(nextUserId, 'text', content)));
      expect([await isSeenBy(nextUserId, expired), await isSeenBy(nextUserId + 1, expired)]).toEqual([
        false,
        false,
      ]);
      expect(await isSeenBy(nextUserId + 1, other)).toBe(true);
      expect(await sweepAfter(0)).toBe(1);
      expect([await isStored(expired), await isStored(other)]).toEqual([false, true]);
      await expire(sent);
      expect(await sweepAfter(0)).toBe(0);
    });

    it('are kept while another message shows them, and removed with the last', async () => {
      const url = await receive(nextUserId);
      const mixed = withImageMarkers({ text: 'again', imageUrls: [url, url] });
      const [first, second] = [await send(nextUserId, 'image', url), await send(nextUserId, 'mixed', mixed)];
      await expire(first);
      await expire(first);
      expect(await isSeenBy(nextUserId, url)).toBe(true);
      await expire(second);
      expect(await isSeenBy(nextUserId, url)).toBe(false);
      await sweepAfter(0);
      expect(
        await api.database.dataSource.query('SELECT * FROM upload_uses WHERE key = $1', [address(url).key]),
      ).toEqual([]);
    });

    it('are removed with their last messages when these expire concurrently', async () => {
      const url = await receive(nextUserId);
      const sent = [];
      for (let index = 0; index < 8; index += 1) sent.push(await send(nextUserId, 'image', url));
      await Promise.all(
        sent.map((dropped) =>
          api.database.dataSource.transaction((manager) => removal.expire([dropped], manager)),
        ),
      );
      expect(await isSeenBy(nextUserId, url)).toBe(false);
    });

    it('are kept while a message of an earlier release shows them', async () => {
      const { dataSource } = api.database;
      const [url, other] = [await receive(nextUserId), await receive(nextUserId)];
      const mixed = withImageMarkers({ text: 'both', imageUrls: [url, other] });
      const [image, both] = [await send(nextUserId, 'image', url), await send(nextUserId, 'mixed', mixed)];
      await send(nextUserId + 1, 'image', url);
      const uses = () =>
        dataSource.query<object[]>('SELECT * FROM upload_uses ORDER BY key, stream_id, event_id');
      const before = await uses();
      expect(before).toHaveLength(3);
      await dataSource.transaction(async ({ queryRunner }) => {
        await new UploadUses1763640600000().down(queryRunner!);
        await new UploadUses1763640600000().up(queryRunner!);
      });
      expect(await uses()).toEqual(before);
      await expire(image);
      expect(await isSeenBy(nextUserId, url)).toBe(true);
      await expire(both);
      expect(await isSeenBy(nextUserId, url)).toBe(false);
    });

    it('are unaffected by a message that shows an image of another user', async () => {
      const url = await receive(nextUserId);
      await send(nextUserId, 'image', url);
      await expire(await send(nextUserId + 1, 'image', url));
      expect(await isSeenBy(nextUserId, url)).toBe(true);
    });
  });

  describe('when a process dies', () => {
    const died = () => new Error('killed');

    it('before the file is stored, are invisible and leave nothing behind', async () => {
      jest.spyOn(storage, 'put').mockRejectedValueOnce(died());
      await expect(receive(nextUserId)).rejects.toThrow('killed');
      expect(await rows()).toHaveLength(1);
      await sweepAfter(0.9);
      expect(await rows()).toHaveLength(1);
      await sweepAfter(1.1);
      expect(await rows()).toEqual([]);
    });

    it('after the file is stored, are invisible and their file is deleted', async () => {
      jest.spyOn(repository, 'finish').mockRejectedValueOnce(died());
      await expect(receive(nextUserId)).rejects.toThrow('killed');
      const [row] = await rows();
      const url = `/api/files/chat-images/${row!.key}`;
      expect(await isStored(url)).toBe(true);
      expect(await isSeenBy(nextUserId, url)).toBe(false);
      expect(await uploads.ownedBy(nextUserId, url, 'chat-images')).toBe(false);
      await expect(uploads.grant(url, 1)).rejects.toMatchObject({ code: 'image_not_yours' });
      await sweepAfter(1.1);
      expect(await isStored(url)).toBe(false);
      expect(await rows()).toEqual([]);
    });

    it('before the file is deleted, are invisible and deleted by the next sweep', async () => {
      const url = await receive(nextUserId);
      jest.spyOn(storage, 'remove').mockRejectedValueOnce(died());
      expect(await sweepAfter(26)).toBe(0);
      expect([await isSeenBy(nextUserId, url), await isStored(url)]).toEqual([false, true]);
      expect(await sweepAfter(26)).toBe(1);
      expect([await isStored(url), await rows()]).toEqual([false, []]);
    });

    it('after the file is deleted, lose their row in the next sweep', async () => {
      await receive(nextUserId);
      jest.spyOn(repository, 'forget').mockRejectedValueOnce(died());
      await expect(sweepAfter(26)).rejects.toThrow('killed');
      expect([await filesInFolder(), await rows()]).toEqual([[], [expect.anything()]]);
      expect(await sweepAfter(26)).toBe(1);
      expect(await rows()).toEqual([]);
    });

    it('and the upload is given up before it finishes, are answered with an error', async () => {
      jest.spyOn(storage, 'put').mockImplementationOnce(async () => {
        await sweepAfter(2);
      });
      await expect(receive(nextUserId)).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  it('whose file cannot be deleted do not block others', async () => {
    const urls = await Promise.all(Array.from({ length: 40 }, () => receive(nextUserId)));
    const [stuck] = urls.map((url) => address(url).key).sort();
    const remove = storage.remove.bind(storage);
    jest.spyOn(storage, 'remove').mockImplementation(async (file) => {
      if (file.key === stuck) throw new DomainError('unavailable');
      await remove(file);
    });
    expect(await sweepAfter(26)).toBe(39);
    expect((await rows()).map(({ key }) => key)).toEqual([stuck]);
  });

  it('are not all tried while the storage is unavailable', async () => {
    await Promise.all(Array.from({ length: 40 }, () => receive(nextUserId)));
    const remove = jest.spyOn(storage, 'remove').mockRejectedValue(new DomainError('unavailable'));
    expect(await sweepAfter(26)).toBe(0);
    expect(remove).toHaveBeenCalledTimes(16);
    jest.restoreAllMocks();
    expect(await sweepAfter(26)).toBe(40);
  });

  it('are swept once when many workers sweep concurrently', async () => {
    await Promise.all(Array.from({ length: 60 }, () => receive(nextUserId)));
    await Promise.all([1, 2, 3, 4].map(() => sweepAfter(26)));
    expect([await filesInFolder(), await rows()]).toEqual([[], []]);
  });

  it('are either granted or swept when both happen at once, never both', async () => {
    for (let round = 0; round < 60; round += 1) {
      const url = await receive(nextUserId);
      await api.database.dataSource.query(
        `UPDATE uploads SET unused_since = now() - interval '30 hours' WHERE key = $1`,
        [address(url).key],
      );
      const [grant] = await Promise.allSettled([
        uploads.grant(url, nextUserId + 1),
        removal.sweep(new Date()),
      ]);
      await removal.sweep(new Date());
      const isGranted = grant.status === 'fulfilled';
      expect([await isSeenBy(nextUserId + 1, url), await isStored(url)]).toEqual([isGranted, isGranted]);
    }
  });
});
