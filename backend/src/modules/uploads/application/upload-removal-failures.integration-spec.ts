// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { DomainError } from '../../../platform/errors/domain.errors';
import { locate, TestUploads } from '../../../testing/uploads.fixture';

jest.setTimeout(60_000);

/** A sweep deletes the files of one page concurrently, then those of the next page. */
const FILES_PER_PAGE = 16;
/** More than two pages. */
const IMAGE_COUNT = 40;
/** An image that no message or profile shows is removed after 25 hours; one hour is a margin. */
const HOURS_UNTIL_UNUSED_REMOVED = 26;
/** An upload that did not finish is removed after one hour. */
const HOURS_UNTIL_UNFINISHED_REMOVED = 1.1;
const HOURS_WHILE_UNFINISHED_IS_KEPT = 0.9;

describe('images', () => {
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

  describe('when a process dies', () => {
    /** In place of the crash, the next step fails, so that the process does not reach the steps after it. */
    const createCrash = () => new Error('killed');

    it('lose their row after an hour if it dies before the file is stored', async () => {
      jest.spyOn(images.storage, 'put').mockRejectedValueOnce(createCrash());
      await expect(images.receive(ownerId)).rejects.toThrow('killed');
      expect(await images.readRows()).toHaveLength(1);
      await images.sweepAfterHours(HOURS_WHILE_UNFINISHED_IS_KEPT);
      expect(await images.readRows()).toHaveLength(1);
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
      expect(await images.readRows()).toEqual([]);
    });

    it('are invisible, and lose their file after an hour, if it dies before the row is marked as stored', async () => {
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

    it('are invisible, and lose their file in the next sweep, if it dies before the file is deleted', async () => {
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
  });

  it('are refused if a sweep removes the unfinished upload while the file is being stored', async () => {
    jest.spyOn(images.storage, 'put').mockImplementationOnce(async () => {
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
    });
    await expect(images.receive(ownerId)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('do not block the deletion of other files when their file cannot be deleted', async () => {
    const urls = await Promise.all(Array.from({ length: IMAGE_COUNT }, () => images.receive(ownerId)));
    // The first key, because a sweep proceeds in the order of the keys.
    const [stuckKey] = urls.map((url) => locate(url).key).sort();
    const remove = images.storage.remove.bind(images.storage);
    jest.spyOn(images.storage, 'remove').mockImplementation(async (file) => {
      if (file.key === stuckKey) throw new DomainError('unavailable');
      await remove(file);
    });
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(IMAGE_COUNT - 1);
    expect((await images.readRows()).map(({ key }) => key)).toEqual([stuckKey]);
  });

  it('are left to the next sweep once a whole page of files could not be deleted', async () => {
    await Promise.all(Array.from({ length: IMAGE_COUNT }, () => images.receive(ownerId)));
    const remove = jest.spyOn(images.storage, 'remove').mockRejectedValue(new DomainError('unavailable'));
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
    expect(remove).toHaveBeenCalledTimes(FILES_PER_PAGE);
    jest.restoreAllMocks();
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(IMAGE_COUNT);
  });

  it('are all removed when several workers sweep concurrently', async () => {
    await Promise.all(Array.from({ length: 60 }, () => images.receive(ownerId)));
    await Promise.all([1, 2, 3, 4].map(() => images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)));
    expect([await images.listFiles(), await images.readRows()]).toEqual([[], []]);
  });

  it('are either granted or removed, never both, when a grant and a sweep are concurrent', async () => {
    for (let round = 0; round < 60; round += 1) {
      const url = await images.receive(ownerId);
      await images.query(`UPDATE uploads SET unused_since = now() - interval '30 hours' WHERE key = $1`, [
        locate(url).key,
      ]);
      const [grant] = await Promise.allSettled([
        images.uploads.grant(url, ownerId + 1),
        images.removal.sweep(new Date()),
      ]);
      // A later sweep does not remove a granted image either.
      await images.removal.sweep(new Date());
      const isGranted = grant.status === 'fulfilled';
      expect([await images.isVisibleTo(ownerId + 1, url), await images.hasFile(url)]).toEqual([
        isGranted,
        isGranted,
      ]);
    }
  });
});
