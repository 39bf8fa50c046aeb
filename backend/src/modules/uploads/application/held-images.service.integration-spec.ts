// Real: PostgreSQL, Redis, the services of an api replica; files in a folder.
import { text } from 'node:stream/consumers';
import { locate, TestUploads } from '../../../testing/uploads.fixture';
import { HeldImagesService } from './held-images.service';

jest.setTimeout(60_000);

describe('an image that a case holds', () => {
  let images: TestUploads;
  let held: HeldImagesService;
  /** A new user for each test. */
  let ownerId = 1;

  beforeAll(async () => {
    images = await TestUploads.start();
    held = images.api.app.get(HeldImagesService);
  });
  beforeEach(async () => {
    ownerId += 10;
    await images.reset();
    await images.query('DELETE FROM upload_holds');
  });
  afterAll(() => images.close());

  const hold = (url: string, caseId: number) =>
    held.hold([locate(url).key], caseId, images.api.database.dataSource.manager);
  const release = (caseId: number) => held.release(caseId, images.api.database.dataSource.manager);

  it('disappears for everybody, while its file stays until the last case lets go', async () => {
    const url = await images.receive(ownerId);
    await hold(url, 1);
    await hold(url, 2);
    await hold(url, 2);
    expect(await images.sweepAfterHours(26)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(false);
    expect(await images.uploads.isOwnedBy(ownerId, url, 'chat-images')).toBe(false);
    expect(await images.hasFile(url)).toBe(true);

    await release(1);
    expect(await images.sweepAfterHours(26)).toBe(0);
    expect(await images.hasFile(url)).toBe(true);

    await release(2);
    await release(2);
    expect(await images.sweepAfterHours(26)).toBe(1);
    expect(await images.hasFile(url)).toBe(false);
    expect(await images.readRows()).toEqual([]);
  });

  it('does not keep the files of other images', async () => {
    const [first, second] = [await images.receive(ownerId), await images.receive(ownerId)];
    await hold(first, 1);
    expect(await images.sweepAfterHours(26)).toBe(1);
    expect(await images.hasFile(first)).toBe(true);
    expect(await images.hasFile(second)).toBe(false);
  });

  it('remains visible as before while it is in use', async () => {
    const url = await images.receive(ownerId);
    await hold(url, 1);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
    await release(1);
    expect(await images.sweepAfterHours(1)).toBe(0);
    expect(await images.isVisibleTo(ownerId, url)).toBe(true);
  });

  it('can be opened, also once it is removed, and no other image can', async () => {
    const url = await images.receive(ownerId);
    const { key } = locate(url);
    expect(await held.open(key)).toBeNull();
    await hold(url, 1);
    await images.sweepAfterHours(26);
    const image = await held.open(key);
    expect(image).toMatchObject({ contentType: expect.stringMatching(/^image\//), size: expect.any(Number) });
    expect((await text(image!.content)).length).toBeGreaterThan(0);
    await release(1);
    expect(await held.open(key)).toBeNull();
    expect(await held.open('../secrets')).toBeNull();
  });

  it('is described by its owner and size', async () => {
    const { key } = locate(await images.receive(ownerId));
    expect(await held.describe([key, 'unknown.jpg'])).toEqual([{ key, ownerId, width: 8, height: 8 }]);
  });
});
