// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { DomainError } from '../../../platform/errors/domain.errors';
import { locate, TestUploads } from '../../../testing/uploads.fixture';

jest.setTimeout(60_000);

/** Files that a sweep deletes concurrently. */
const FILES_PER_PAGE = 16;
/** Just after an image that no chat uses is removed (25 hours), and an upload that never finished (1 hour). */
const HOURS_UNTIL_UNUSED_REMOVED = 26;
const HOURS_UNTIL_UNFINISHED_REMOVED = 1.1;

describe('images, when a failure or a concurrent request interferes,', () => {
  let images: TestUploads;
  /** A new user for each test; the ids after it are free too. */
  let ownerId = 1;

  beforeAll(async () => {
    images = await TestUploads.start();
  });
  beforeEach(async () => {
    ownerId += 10;
    await images.reset();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => images.close());

  describe('because the process dies,', () => {
    const createCrash = () => new Error('killed');

    it('are invisible and leave nothing behind if it dies before the file is stored', async () => {
      jest.spyOn(images.storage, 'put').mockRejectedValueOnce(createCrash());
      await expect(images.receive(ownerId)).rejects.toThrow('killed');
      expect(await images.readRows()).toHaveLength(1);
      await images.sweepAfterHours(0.9);
      expect(await images.readRows()).toHaveLength(1);
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
      expect(await images.readRows()).toEqual([]);
    });

    it('are invisible and lose their file if it dies before the upload is marked as finished', async () => {
      jest.spyOn(images.repository, 'markStored').mockRejectedValueOnce(createCrash());
      await expect(images.receive(ownerId)).rejects.toThrow('killed');
      const [row] = await images.readRows();
      const url = `/api/files/chat-images/${row!.key}`;
      expect(await images.hasFile(url)).toBe(true);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
      expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
      await expect(images.uploads.grant(url, 1)).rejects.toMatchObject({ code: 'image_not_yours' });
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
      expect(await images.hasFile(url)).toBe(false);
      expect(await images.readRows()).toEqual([]);
    });

    it('are invisible, and deleted by the next sweep, if it dies before the file is deleted', async () => {
      const url = await images.receive(ownerId);
      jest.spyOn(images.storage, 'remove').mockRejectedValueOnce(createCrash());
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
      expect([await images.isVisibleTo(ownerId, url), await images.hasFile(url)]).toEqual([false, true]);
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
      expect([await images.hasFile(url), await images.readRows()]).toEqual([false, []]);
    });

    it('lose their row in the next sweep if it dies after the file is deleted', async () => {
      await images.receive(ownerId);
      jest.spyOn(images.repository, 'deleteRemoved').mockRejectedValueOnce(createCrash());
      await expect(images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).rejects.toThrow('killed');
      expect([await images.listFiles(), await images.readRows()]).toEqual([[], [expect.anything()]]);
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
      expect(await images.readRows()).toEqual([]);
    });

    it('are refused if a sweep takes the upload for abandoned before it finishes', async () => {
      jest.spyOn(images.storage, 'put').mockImplementationOnce(async () => {
        await images.sweepAfterHours(2);
      });
      await expect(images.receive(ownerId)).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  it('do not block the removal of others when their file cannot be deleted', async () => {
    const urls = await Promise.all(Array.from({ length: 40 }, () => images.receive(ownerId)));
    const [stuckKey] = urls.map((url) => locate(url).key).sort();
    const remove = images.storage.remove.bind(images.storage);
    jest.spyOn(images.storage, 'remove').mockImplementation(async (file) => {
      if (file.key === stuckKey) throw new DomainError('unavailable');
      await remove(file);
    });
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(39);
    expect((await images.readRows()).map(({ key }) => key)).toEqual([stuckKey]);
  });

  it('are left to the next sweep once a whole page of files could not be deleted', async () => {
    await Promise.all(Array.from({ length: 40 }, () => images.receive(ownerId)));
    const remove = jest.spyOn(images.storage, 'remove').mockRejectedValue(new DomainError('unavailable'));
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
    expect(remove).toHaveBeenCalledTimes(FILES_PER_PAGE);
    jest.restoreAllMocks();
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(40);
  });

  it('are all removed when several workers sweep concurrently', async () => {
    await Promise.all(Array.from({ length: 60 }, () => images.receive(ownerId)));
    await Promise.all([1, 2, 3, 4].map(() => images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)));
    expect([await images.listFiles(), await images.readRows()]).toEqual([[], []]);
  });

  it('are either granted or swept when both happen at once, never both', async () => {
    for (let round = 0; round < 60; round += 1) {
      const url = await images.receive(ownerId);
      await images.query(`UPDATE uploads SET unused_since = now() - interval '30 hours' WHERE key = $1`, [
        locate(url).key,
      ]);
      const [grant] = await Promise.allSettled([
        images.uploads.grant(url, ownerId + 1),
        images.removal.sweep(new Date()),
      ]);
      await images.removal.sweep(new Date());
      const isGranted = grant.status === 'fulfilled';
      expect([await images.isVisibleTo(ownerId + 1, url), await images.hasFile(url)]).toEqual([
        isGranted,
        isGranted,
      ]);
    }
  });
});
