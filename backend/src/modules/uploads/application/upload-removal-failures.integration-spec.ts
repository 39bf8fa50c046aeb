// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { DomainError } from '../../../platform/errors/domain.errors';
import { parseImageUrl, TestUploads } from '../../../testing/uploads.fixture';

jest.setTimeout(60_000);

/** A sweep deletes the files of one page concurrently, then those of the next page. */
const FILES_PER_PAGE = 16;
/** More than two pages. */
const IMAGE_COUNT = 40;
/** One hour more than the 25 hours after which an image that no message or profile shows is removed. */
const HOURS_UNTIL_UNUSED_REMOVED = 26;
/** An upload that did not finish is removed after one hour. */
const HOURS_UNTIL_UNFINISHED_REMOVED = 1.1;
const HOURS_WHILE_UNFINISHED_IS_KEPT = 0.9;

describe('images', () => {
  let images: TestUploads;
  /** Another user in each test. The nine ids after it are not used by other tests. */
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

  describe('when a process crashes', () => {
    /** The error of the step in which the process crashes. The steps after it do not run. */
    const createCrash = () => new Error('killed');

    it('before it stores the file, the row of the image is deleted after an hour', async () => {
      jest.spyOn(images.storage, 'put').mockRejectedValueOnce(createCrash());
      await expect(images.uploadImage(ownerId)).rejects.toThrow('killed');
      expect(await images.readUploadRows()).toHaveLength(1);
      await images.sweepAfterHours(HOURS_WHILE_UNFINISHED_IS_KEPT);
      expect(await images.readUploadRows()).toHaveLength(1);
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
      expect(await images.readUploadRows()).toEqual([]);
    });

    it('before it marks the row as stored, the image is invisible, and its file is deleted after an hour', async () => {
      jest.spyOn(images.repository, 'markStored').mockRejectedValueOnce(createCrash());
      await expect(images.uploadImage(ownerId)).rejects.toThrow('killed');
      const [row] = await images.readUploadRows();
      const url = `/api/files/chat-images/${row!.key}`;
      expect(await images.hasFile(url)).toBe(true);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
      expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
      await expect(images.uploads.grant(url, ownerId + 1)).rejects.toMatchObject({ code: 'image_not_yours' });
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
      expect(await images.hasFile(url)).toBe(false);
      expect(await images.readUploadRows()).toEqual([]);
    });

    it('before it deletes the file, the image is invisible, and the next sweep deletes the file', async () => {
      const url = await images.uploadImage(ownerId);
      jest.spyOn(images.storage, 'remove').mockRejectedValueOnce(createCrash());
      // A file that cannot be deleted does not fail the sweep, which returns the number of deleted files.
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
      expect(await images.isVisibleTo(ownerId, url)).toBe(false);
      expect(await images.hasFile(url)).toBe(true);
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
      expect(await images.hasFile(url)).toBe(false);
      expect(await images.readUploadRows()).toEqual([]);
    });

    it('after it has deleted the file, the next sweep deletes the row', async () => {
      await images.uploadImage(ownerId);
      jest.spyOn(images.repository, 'deleteRemoved').mockRejectedValueOnce(createCrash());
      await expect(images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).rejects.toThrow('killed');
      expect(await images.listChatImageFiles()).toEqual([]);
      expect(await images.readUploadRows()).toHaveLength(1);
      // The file counts as deleted again, because the storage ignores a missing file.
      expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
      expect(await images.readUploadRows()).toEqual([]);
    });
  });

  it('are refused if a sweep removes the unfinished upload while the file is being stored', async () => {
    jest.spyOn(images.storage, 'put').mockImplementationOnce(async () => {
      await images.sweepAfterHours(HOURS_UNTIL_UNFINISHED_REMOVED);
    });
    await expect(images.uploadImage(ownerId)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('do not block the deletion of other files when their file cannot be deleted', async () => {
    const urls = await Promise.all(Array.from({ length: IMAGE_COUNT }, () => images.uploadImage(ownerId)));
    // The first key, because a sweep proceeds in the order of the keys.
    const [stuckKey] = urls.map((url) => parseImageUrl(url).key).sort();
    const remove = images.storage.remove.bind(images.storage);
    jest.spyOn(images.storage, 'remove').mockImplementation(async (file) => {
      if (file.key === stuckKey) throw new DomainError('unavailable');
      await remove(file);
    });
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(IMAGE_COUNT - 1);
    expect((await images.readUploadRows()).map(({ key }) => key)).toEqual([stuckKey]);
  });

  it('are left to the next sweep when no file of the first page can be deleted', async () => {
    await Promise.all(Array.from({ length: IMAGE_COUNT }, () => images.uploadImage(ownerId)));
    const remove = jest.spyOn(images.storage, 'remove').mockRejectedValue(new DomainError('unavailable'));
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
    expect(remove).toHaveBeenCalledTimes(FILES_PER_PAGE);
    jest.restoreAllMocks();
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(IMAGE_COUNT);
  });

  it('are all removed when several workers sweep concurrently', async () => {
    await Promise.all(Array.from({ length: 60 }, () => images.uploadImage(ownerId)));
    await Promise.all([1, 2, 3, 4].map(() => images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)));
    expect(await images.listChatImageFiles()).toEqual([]);
    expect(await images.readUploadRows()).toEqual([]);
  });

  it('are either granted or removed, never both, when a grant and a sweep are concurrent', async () => {
    // Many rounds, because the timing decides which of the two comes first.
    for (let round = 0; round < 60; round += 1) {
      const url = await images.uploadImage(ownerId);
      await images.query(
        'UPDATE uploads SET unused_since = now() - make_interval(hours => $2) WHERE key = $1',
        [parseImageUrl(url).key, HOURS_UNTIL_UNUSED_REMOVED],
      );
      const [grant] = await Promise.allSettled([
        images.uploads.grant(url, ownerId + 1),
        images.removal.sweep(new Date()),
      ]);
      // A later sweep does not remove a granted image either.
      await images.removal.sweep(new Date());
      const isGranted = grant.status === 'fulfilled';
      expect(await images.isVisibleTo(ownerId + 1, url)).toBe(isGranted);
      expect(await images.hasFile(url)).toBe(isGranted);
    }
  });
});
