// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { buffer } from 'node:stream/consumers';
import { parseImageUrl, TestUploads } from '../../../testing/uploads.fixture';
import { HeldImagesService } from './held-images.service';

jest.setTimeout(60_000);

/** An image that no message or profile shows is removed after 25 hours; one hour is a margin. */
const HOURS_UNTIL_UNUSED_REMOVED = 26;

// A case is a matter about one user that moderators decide. It holds the images that are its evidence.
describe('HeldImagesService', () => {
  let images: TestUploads;
  let heldImages: HeldImagesService;
  /** A new user for each test. */
  let ownerId = 1;

  beforeAll(async () => {
    images = await TestUploads.start();
    heldImages = images.api.app.get(HeldImagesService);
  });
  beforeEach(async () => {
    ownerId += 1;
    await images.reset();
    await images.query('DELETE FROM upload_holds');
  });
  afterAll(() => images.close());

  const holdForCase = (caseId: number, url: string) =>
    heldImages.hold([parseImageUrl(url).key], caseId, images.api.database.dataSource.manager);
  const releaseAllOfCase = (caseId: number) =>
    heldImages.release(caseId, images.api.database.dataSource.manager);

  it('hides a removed image, but keeps its file until the last case releases it', async () => {
    const url = await images.uploadImage(ownerId);
    await holdForCase(1, url);
    await holdForCase(2, url);
    await holdForCase(2, url); // a repetition has no effect
    // The sweep removes the image, but deletes no file.
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
    expect(await images.hasFile(url)).toBe(true);

    await releaseAllOfCase(1);
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(0);
    expect(await images.hasFile(url)).toBe(true);

    await releaseAllOfCase(2);
    await releaseAllOfCase(2); // a repetition has no effect
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
    expect(await images.hasFile(url)).toBe(false);
    expect(await images.readUploadRows()).toEqual([]);
  });

  it('does not keep the files of images that no case holds', async () => {
    const [held, other] = [await images.uploadImage(ownerId), await images.uploadImage(ownerId)];
    await holdForCase(1, held);
    expect(await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED)).toBe(1);
    expect(await images.hasFile(held)).toBe(true);
    expect(await images.hasFile(other)).toBe(false);
  });

  it('leaves an image visible to its owner, both while a case holds it and after the release', async () => {
    const url = await images.uploadImage(ownerId);
    await holdForCase(1, url);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
    await releaseAllOfCase(1);
    expect(await images.sweepAfterHours(1)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
  });

  it('opens an image, even a removed one, only while a case holds it', async () => {
    const url = await images.uploadImage(ownerId);
    const { key } = parseImageUrl(url);
    expect(await heldImages.open(key)).toBeNull();
    await holdForCase(1, url);
    await images.sweepAfterHours(HOURS_UNTIL_UNUSED_REMOVED);
    const image = await heldImages.open(key);
    expect(image).toMatchObject({ contentType: expect.stringMatching(/^image\//), size: expect.any(Number) });
    expect((await buffer(image!.content)).length).toBeGreaterThan(0);
    await releaseAllOfCase(1);
    expect(await heldImages.open(key)).toBeNull();
    expect(await heldImages.open('../secrets')).toBeNull(); // not a key of an upload
  });

  it('describes an image by its owner and size, even if no case holds it, and leaves out unknown keys', async () => {
    const { key } = parseImageUrl(await images.uploadImage(ownerId));
    // The image of this fixture has 8 × 8 pixels.
    expect(await heldImages.findDescriptions([key, 'unknown.jpg'])).toEqual([
      { key, ownerId, width: 8, height: 8 },
    ]);
  });
});
