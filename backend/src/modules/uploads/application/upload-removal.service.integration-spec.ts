// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { formatImageMarkers } from '@thaw/contract/image-markers';
import { UploadUses1763640600000 } from '../../../migrations/1763640600000-upload-uses';
import { ProjectionRebuildService } from '../../../platform/event-store/projection-rebuild.service';
import { createMessage, parseImageUrl, TestUploads } from '../../../testing/uploads.fixture';

jest.setTimeout(60_000);

describe('images', () => {
  let images: TestUploads;
  /** A new user for each test. `ownerId + 1` is another user. */
  let ownerId = 1;

  beforeAll(async () => {
    images = await TestUploads.start();
  });
  beforeEach(async () => {
    ownerId += 10;
    await images.reset();
  });
  afterAll(() => images.close());

  describe('that no message or profile shows', () => {
    // Unused images can be sent for 24 hours, and are removed after 25.

    it('are removed after a day and an hour of grace', async () => {
      const url = await images.uploadImage(ownerId);
      await images.sweepAfterHours(24.9);
      expect(await images.isVisibleTo(ownerId, url)).toBe(true);
      expect(await images.sweepAfterHours(25.1)).toBe(1);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
      expect(await images.hasFile(url)).toBe(false);
      expect(await images.readUploadRows()).toEqual([]);
    });

    it('cannot be sent during the hour of grace', async () => {
      const url = await images.uploadImage(ownerId);
      expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(true);
      await images.query(`UPDATE uploads SET unused_since = now() - interval '24.5 hours'`);
      expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
      const message = { senderId: ownerId, receiverId: 1, messageType: 'image', content: url } as const;
      await expect(images.uploads.share(message)).rejects.toMatchObject({ code: 'image_not_yours' });
    });

    it('are kept for another day when a receiver is granted access, and removed if no message follows', async () => {
      const url = await images.uploadImage(ownerId);
      await images.query(`UPDATE uploads SET unused_since = now() - interval '23 hours'`);
      await images.uploads.grant(url, ownerId + 1);
      await images.sweepAfterHours(24); // after the grant: without it, the image would be unused for 47 hours
      expect(await images.isVisibleTo(ownerId + 1, url)).toBe(true);
      await images.sweepAfterHours(26);
      expect(await images.isVisibleTo(ownerId + 1, url)).toBe(false);
      expect(await images.query('SELECT * FROM upload_views')).toEqual([]);
    });

    it('are removed in one sweep, even if one statement, which removes at most 1,000, does not suffice', async () => {
      await images.query(
        `INSERT INTO uploads (key, bucket, owner_id, content_type, size, width, height, created_at, stored_at, unused_since)
         SELECT gen_random_uuid() || '.jpg', 'chat-images', 1, 'image/jpeg', 1, 1, 1, now(), now(), now()
         FROM generate_series(1, 2500)`,
      );
      expect(await images.sweepAfterHours(26)).toBe(2_500);
      expect(await images.readUploadRows()).toEqual([]);
    });
  });

  describe('in messages and profiles', () => {
    it('are kept while a message of their owner shows them', async () => {
      const [image, first, second, unused] = await Promise.all(
        [1, 2, 3, 4].map(() => images.uploadImage(ownerId)),
      );
      await images.appendMessage(ownerId, 'image', image!);
      await images.appendMessage(
        ownerId,
        'mixed',
        formatImageMarkers({ text: 'look', imageUrls: [first!, second!] }),
      );
      await images.appendMessage(ownerId, 'text', unused!); // in a text, a URL shows no image
      await images.sweepAfterHours(1_000);
      for (const url of [image!, first!, second!]) expect(await images.isVisibleTo(ownerId, url)).toBe(true);
      expect(await images.isVisibleTo(ownerId, unused!)).toBe(false);
    });

    it('are removed if only a message of another user refers to them', async () => {
      const url = await images.uploadImage(ownerId);
      await images.appendMessage(ownerId + 1, 'image', url);
      await images.sweepAfterHours(26);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    });

    it('are kept while they are an avatar, and for a day after they are replaced', async () => {
      const [previousAvatar, currentAvatar] = [
        await images.uploadImage(ownerId, 'avatars'),
        await images.uploadImage(ownerId, 'avatars'),
      ];
      await images.changeAvatar(ownerId, previousAvatar);
      await images.changeAvatar(ownerId, currentAvatar);
      await images.sweepAfterHours(24);
      const viewerId = 1; // any other user
      expect(await images.isVisibleTo(viewerId, previousAvatar)).toBe(true);
      await images.sweepAfterHours(26);
      expect([
        await images.isVisibleTo(viewerId, previousAvatar),
        await images.isVisibleTo(viewerId, currentAvatar),
      ]).toEqual([false, true]);
      await images.changeAvatar(ownerId, null);
      await images.sweepAfterHours(26);
      expect(await images.isVisibleTo(viewerId, currentAvatar)).toBe(false);
    });

    it('keep their state in a rebuild of the read models: used, unused or removed', async () => {
      const [image, previousAvatar, currentAvatar, removed] = [
        await images.uploadImage(ownerId),
        await images.uploadImage(ownerId, 'avatars'),
        await images.uploadImage(ownerId, 'avatars'),
        await images.uploadImage(ownerId),
      ];
      await images.appendMessage(ownerId, 'image', image);
      // The previous avatar is unused since the second change, also after the rebuild.
      await images.changeAvatar(ownerId, previousAvatar, new Date('2026-11-20T12:00:00Z'));
      await images.changeAvatar(ownerId, currentAvatar, new Date('2026-11-20T13:00:00Z'));
      // The expiry of the only message with an image removes the image.
      await images.expireMessages(createMessage(ownerId, 'image', removed));
      const rowsBefore = await images.readUploadRows();
      // The image of the message and the current avatar are in use.
      expect(rowsBefore.filter(({ unused_since: since }) => since === null)).toHaveLength(2);
      expect(rowsBefore).toHaveLength(4);
      await images.api.app.get(ProjectionRebuildService).rebuild();
      expect(await images.readUploadRows()).toEqual(rowsBefore);
    });
  });

  describe('whose messages expire', () => {
    it('become invisible immediately, and the next sweep deletes their files', async () => {
      const [expired, other] = [await images.uploadImage(ownerId), await images.uploadImage(ownerId)];
      await images.uploads.grant([expired, other], ownerId + 1);
      const sent = await images.appendMessage(ownerId, 'image', expired);
      // A text shows no image, even if it is the URL of one.
      const texts = ['no URL', '/api/files/chat-images/x.jpg', other];
      await images.expireMessages(sent, ...texts.map((content) => createMessage(ownerId, 'text', content)));
      expect([
        await images.isVisibleTo(ownerId, expired),
        await images.isVisibleTo(ownerId + 1, expired),
      ]).toEqual([false, false]);
      expect(await images.isVisibleTo(ownerId + 1, other)).toBe(true);
      expect(await images.sweepAfterHours(0)).toBe(1);
      expect([await images.hasFile(expired), await images.hasFile(other)]).toEqual([false, true]);
      await images.expireMessages(sent); // a repetition has no effect
      expect(await images.sweepAfterHours(0)).toBe(0);
    });

    it('are kept while another message shows them, and removed with the last', async () => {
      const url = await images.uploadImage(ownerId);
      const mixed = formatImageMarkers({ text: 'again', imageUrls: [url, url] });
      const [first, second] = [
        await images.appendMessage(ownerId, 'image', url),
        await images.appendMessage(ownerId, 'mixed', mixed),
      ];
      await images.expireMessages(first);
      await images.expireMessages(first); // a repetition has no effect
      expect(await images.isVisibleTo(ownerId, url)).toBe(true);
      await images.expireMessages(second);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
      await images.sweepAfterHours(0);
      const { key } = parseImageUrl(url);
      expect(await images.query('SELECT * FROM upload_uses WHERE key = $1', [key])).toEqual([]);
    });

    it('are invisible after all their messages have expired concurrently', async () => {
      const url = await images.uploadImage(ownerId);
      const sent = [];
      for (let index = 0; index < 8; index += 1) sent.push(await images.appendMessage(ownerId, 'image', url));
      await Promise.all(
        sent.map((dropped) =>
          images.api.database.dataSource.transaction((manager) =>
            images.removal.releaseImagesOf([dropped], manager),
          ),
        ),
      );
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    });

    it('are kept while a message shows them that was sent before the table upload_uses existed', async () => {
      const { dataSource } = images.api.database;
      const [url, other] = [await images.uploadImage(ownerId), await images.uploadImage(ownerId)];
      const mixed = formatImageMarkers({ text: 'both', imageUrls: [url, other] });
      const [imageMessage, mixedMessage] = [
        await images.appendMessage(ownerId, 'image', url),
        await images.appendMessage(ownerId, 'mixed', mixed),
      ];
      await images.appendMessage(ownerId + 1, 'image', url); // not the owner, so this message is not counted as a use
      const readUses = () =>
        dataSource.query<object[]>('SELECT * FROM upload_uses ORDER BY key, stream_id, event_id');
      const usesBefore = await readUses();
      expect(usesBefore).toHaveLength(3); // one of the first message, two of the second
      // The migration that creates the table fills it from the stored messages.
      await dataSource.transaction(async ({ queryRunner }) => {
        await new UploadUses1763640600000().down(queryRunner!);
        await new UploadUses1763640600000().up(queryRunner!);
      });
      expect(await readUses()).toEqual(usesBefore);
      await images.expireMessages(imageMessage);
      expect(await images.isVisibleTo(ownerId, url)).toBe(true);
      await images.expireMessages(mixedMessage);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    });

    it('are kept when a message of another user that refers to them expires', async () => {
      const url = await images.uploadImage(ownerId);
      await images.appendMessage(ownerId, 'image', url);
      await images.expireMessages(await images.appendMessage(ownerId + 1, 'image', url));
      expect(await images.isVisibleTo(ownerId, url)).toBe(true);
    });
  });
});
