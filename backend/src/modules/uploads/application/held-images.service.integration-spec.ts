// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { text } from 'node:stream/consumers';
import { locate, TestUploads } from '../../../testing/uploads.fixture';
import { HeldImagesService } from './held-images.service';

jest.setTimeout(60_000);

/** After more than 25 hours an image that no message or profile shows is removed. */
const UNUSED_HOURS = 26;

describe('an image that a case holds', () => {
  let images: TestUploads;
  let heldImages: HeldImagesService;
  /** A new user for each test. */
  let ownerId = 1;

  beforeAll(async () => {
    images = await TestUploads.start();
    heldImages = images.api.app.get(HeldImagesService);
  });
  beforeEach(async () => {
    ownerId += 10;
    await images.reset();
    await images.query('DELETE FROM upload_holds');
  });
  afterAll(() => images.close());

  const hold = (url: string, caseId: number) =>
    heldImages.hold([locate(url).key], caseId, images.api.database.dataSource.manager);
  const release = (caseId: number) => heldImages.release(caseId, images.api.database.dataSource.manager);

  it('is invisible once it is removed, while its file is kept until the last case releases it', async () => {
    const url = await images.receive(ownerId);
    await hold(url, 1);
    await hold(url, 2);
    await hold(url, 2);
    expect(await images.sweepAfterHours(UNUSED_HOURS)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
    expect(await images.hasFile(url)).toBe(true);

    await release(1);
    expect(await images.sweepAfterHours(UNUSED_HOURS)).toBe(0);
    expect(await images.hasFile(url)).toBe(true);

    await release(2);
    await release(2);
    expect(await images.sweepAfterHours(UNUSED_HOURS)).toBe(1);
    expect(await images.hasFile(url)).toBe(false);
    expect(await images.readRows()).toEqual([]);
  });

  it('does not keep the files of other images', async () => {
    const [first, second] = [await images.receive(ownerId), await images.receive(ownerId)];
    await hold(first, 1);
    expect(await images.sweepAfterHours(UNUSED_HOURS)).toBe(1);
    expect(await images.hasFile(first)).toBe(true);
    expect(await images.hasFile(second)).toBe(false);
  });

  it('is visible to its owner until it is removed', async () => {
    const url = await images.receive(ownerId);
    await hold(url, 1);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
    await release(1);
    expect(await images.sweepAfterHours(1)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
  });

  it('can be opened after its removal, unlike images that no case holds', async () => {
    const url = await images.receive(ownerId);
    const { key } = locate(url);
    expect(await heldImages.open(key)).toBeNull();
    await hold(url, 1);
    await images.sweepAfterHours(UNUSED_HOURS);
    const image = await heldImages.open(key);
    expect(image).toMatchObject({ contentType: expect.stringMatching(/^image\//), size: expect.any(Number) });
    expect((await text(image!.content)).length).toBeGreaterThan(0);
    await release(1);
    expect(await heldImages.open(key)).toBeNull();
    expect(await heldImages.open('../secrets')).toBeNull();
  });

  it('is described with its owner and size, and unknown keys are left out', async () => {
    const { key } = locate(await images.receive(ownerId));
    expect(await heldImages.describe([key, 'unknown.jpg'])).toEqual([{ key, ownerId, width: 8, height: 8 }]);
  });
});
