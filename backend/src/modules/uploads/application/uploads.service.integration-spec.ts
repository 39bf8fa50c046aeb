// Uses real PostgreSQL and Redis, the services of an api replica, and files in a folder.
import { formatImageMarkers } from '@thaw/contract/image-markers';
import type { MessageType } from '@thaw/contract/scalars';
import { createMessage, TestUploads } from '../../../testing/uploads.fixture';

jest.setTimeout(60_000);

describe('images', () => {
  let testUploads: TestUploads;
  /** A new user for each test; the ids after it are free too. */
  let ownerId = 1;

  beforeAll(async () => {
    testUploads = await TestUploads.start();
  });
  beforeEach(async () => {
    ownerId += 10;
    await testUploads.reset();
  });
  afterAll(() => testUploads.close());

  const notYours = { code: 'image_not_yours' };

  it('are owned only by the user who uploaded them, and only in their bucket', async () => {
    const [ada, bob] = [ownerId, ownerId + 1];
    const [image, avatar] = [
      await testUploads.uploadImage(ada),
      await testUploads.uploadImage(ada, 'avatars'),
    ];
    expect(await testUploads.uploads.isOwnedBy(ada, image, 'chat-images')).toBe(true);
    expect(await testUploads.uploads.isOwnedBy(ada, avatar, 'avatars')).toBe(true);
    expect(await testUploads.uploads.isOwnedBy(ada, image, 'avatars')).toBe(false);
    expect(await testUploads.uploads.isOwnedBy(ada, avatar, 'chat-images')).toBe(false);
    expect(await testUploads.uploads.isOwnedBy(bob, image, 'chat-images')).toBe(false);
    for (const url of ['', 'https://evil.example/a.png', `${image}?`, '/api/files/avatars/__proto__']) {
      expect(await testUploads.uploads.isOwnedBy(ada, url, 'chat-images')).toBe(false);
      await expect(testUploads.uploads.grant(url, bob)).rejects.toMatchObject(notYours);
    }
    // Only chat images can be granted.
    await expect(testUploads.uploads.grant(avatar, bob)).rejects.toMatchObject(notYours);
  });

  it('cannot be sent in a message of a user who does not own them, not even with a disguised marker', async () => {
    const [ada, bob, receiver] = [ownerId, ownerId + 1, ownerId + 2];
    const imageOfAda = await testUploads.uploadImage(ada);
    const avatarOfAda = await testUploads.uploadImage(ada, 'avatars');
    const imageOfBob = await testUploads.uploadImage(bob);
    const share = (messageType: MessageType, content: string) =>
      testUploads.uploads.share({ senderId: bob, receiverId: receiver, messageType, content });
    // A mixed message ends with one marker line per image. White space around a marker must not hide the marker.
    for (const content of [
      formatImageMarkers({ text: 'mine', imageUrls: [imageOfBob, imageOfAda] }),
      `hidden\n[IMAGE:${imageOfAda}] \n[IMAGE:${imageOfBob}]`,
      `hidden\n[IMAGE:${imageOfAda}]\u0007\n[IMAGE:${imageOfBob}]`,
      `hidden\n[IMAGE:${imageOfAda}]\n \n\t[IMAGE:${imageOfBob}]`,
    ]) {
      await expect(share('mixed', content)).rejects.toMatchObject(notYours);
    }
    for (const content of ['no image', imageOfAda, avatarOfAda]) {
      await expect(share('image', content)).rejects.toMatchObject(notYours);
    }
    expect(await testUploads.isVisibleTo(receiver, imageOfBob)).toBe(false);

    await share('text', imageOfAda); // in a text, a URL shows no image
    await share('mixed', `two\n[IMAGE:${imageOfBob}]\n[IMAGE:${imageOfBob}]`);
    expect(await testUploads.isVisibleTo(receiver, imageOfAda)).toBe(false);
    expect(await testUploads.isVisibleTo(receiver, imageOfBob)).toBe(true);
  });

  it('are all invisible to the receiver if one of those granted together has been removed', async () => {
    const receiver = ownerId + 1;
    const [kept, removed] = [await testUploads.uploadImage(ownerId), await testUploads.uploadImage(ownerId)];
    // The expiry of its only message removes an image.
    await testUploads.expireMessages(createMessage(ownerId, 'image', removed));
    await expect(testUploads.uploads.grant([kept, removed], receiver)).rejects.toMatchObject(notYours);
    expect(await testUploads.isVisibleTo(receiver, kept)).toBe(false);
  });
});
