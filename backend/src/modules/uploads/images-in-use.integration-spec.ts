// Uses real PostgreSQL and Redis, two api replicas with sockets, a worker, and an S3 server.
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { formatImageMarkers } from '@thaw/contract/image-markers';
import { parseUploadUrl, type UploadBucket } from '@thaw/contract/uploads';
import { makeFriends } from '../../testing/relationship.fixture';
import { createPlainJpeg } from '../../testing/image-corpus.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { startTestS3, type TestS3 } from '../../testing/test-s3.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { JobQueueService } from '../../platform/queue/job-queue.service';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../platform/storage/file-storage.port';
import { BodyExpiryProcessor } from '../random-chat/jobs/body-expiry.processor';
import { UploadRemovalService } from './application/upload-removal.service';

jest.setTimeout(60_000);

const HOUR_MS = 60 * 60_000;
/** Unused uploads are removed after 25 hours; one hour is a margin. */
const AFTER_UNUSED_MS = 26 * HOUR_MS;
/** Messages of random chats expire after 24 hours; one hour is a margin. */
const AFTER_EXPIRY_MS = 25 * HOUR_MS;

let s3: TestS3;
let stack: TestStack;
let worker: INestApplicationContext;
let jpeg: Buffer;

beforeAll(async () => {
  s3 = await startTestS3();
  stack = await startTestStack(2, s3.settings);
  worker = (await stack.startWorker()).app;
  jpeg = await createPlainJpeg();
});
afterAll(async () => {
  await stack.closeSockets();
  await stack.close();
  await s3.close();
});

const upload = async (visitor: ThawVisitor, bucket: UploadBucket): Promise<string> => {
  const form = new FormData();
  form.set('bucket', bucket);
  // The server keeps the prefix `profiles/`, ignores the extension, and detects the type from the content.
  form.set('fileName', bucket === 'avatars' ? 'profiles/me.png' : 'cat.png');
  form.set('file', new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' }), 'cat.png');
  const response = await fetch(`${visitor.origins[0]}/api/upload`, {
    method: 'POST',
    body: form,
    headers: { cookie: visitor.cookie },
  });
  const { url } = (await response.json()) as { url: string };
  expect({ status: response.status, url }).toEqual({ status: 201, url: expect.stringContaining(bucket) });
  return url;
};

const canSee = async (visitor: ThawVisitor, url: string): Promise<boolean> =>
  (await visitor.call('GET', url)).status === 200;

/** Whether the database records the image as in use. For an image in a message, the worker records this later. */
const isInUse = async (url: string): Promise<boolean> => {
  const rows = await stack.database.dataSource.query<{ is_in_use: boolean }[]>(
    'SELECT unused_since IS NULL AS is_in_use FROM uploads WHERE key = $1',
    [parseUploadUrl(url)?.key],
  );
  return rows[0]?.is_in_use ?? false;
};

const isStored = async (url: string): Promise<boolean> => {
  const file = await worker
    .get<FileStoragePort>(FILE_STORAGE_PORT, { strict: false })
    .open(parseUploadUrl(url)!);
  file?.content.destroy();
  return file !== null;
};

/** Lists the names of the users who can see the image. */
const listViewers = async (url: string, users: Record<string, ThawVisitor>): Promise<string[]> => {
  const viewers: string[] = [];
  for (const [name, visitor] of Object.entries(users)) if (await canSee(visitor, url)) viewers.push(name);
  return viewers;
};

/** Runs the sweep that removes unused images, and deletes the files of removed ones, as if it ran at `now`. */
const sweep = (now = new Date()): Promise<number> =>
  worker.get(UploadRemovalService, { strict: false }).sweep(now);

/** Runs the sweep at a time when images that are unused now are removed. */
const sweepUnused = (): Promise<number> => sweep(new Date(Date.now() + AFTER_UNUSED_MS));

/**
 * Expires messages, at a time when those of chats that have ended are due. Repeated until `isExpired`, because the
 * worker must first project the end of the chat, which sets the expiry.
 */
const expireMessagesUntil = (isExpired: () => Promise<boolean>): Promise<boolean> =>
  until(async () => {
    await worker.get(BodyExpiryProcessor, { strict: false }).expire(new Date(Date.now() + AFTER_EXPIRY_MS));
    return isExpired();
  });

interface Chat {
  ada: ThawVisitor;
  bob: ThawVisitor;
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  sessionId: string;
}

/** Starts a random chat of two users, whose sockets are on different replicas. */
const startChat = async (): Promise<Chat> => {
  const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
  const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
  await adaSocket.request('join_queue', {});
  await bobSocket.request('join_queue', {});
  const { sessionId } = await adaSocket.next('chat_matched');
  await bobSocket.next('chat_matched');
  return { ada, bob, adaSocket, bobSocket, sessionId: String(sessionId) };
};

/** Ada uploads three images. */
const uploadThree = async ({ ada }: Chat): Promise<[string, string, string]> => [
  await upload(ada, 'chat-images'),
  await upload(ada, 'chat-images'),
  await upload(ada, 'chat-images'),
];

/** Ada sends two messages: the first image, and a text with the other two. Waits until Bob has received them. */
const sendThree = async (
  { ada, adaSocket, bobSocket, sessionId }: Chat,
  [image, ...imageUrls]: [string, string, string],
): Promise<void> => {
  await adaSocket.request('random_message', { sessionId, content: image, messageType: 'image' });
  const received = await bobSocket.next('random_message', ({ content }) => content === image);
  expect(received).toMatchObject({ type: 'image', senderId: ada.user.id });

  const mixed = formatImageMarkers({ text: 'and these', imageUrls });
  await adaSocket.request('random_message', { sessionId, content: mixed, messageType: 'mixed' });
  await bobSocket.next('random_message', ({ content }) => content === mixed);
};

/** Bob ends the chat. Waits until the database records its images as in use. */
const endChat = async ({ bobSocket, sessionId }: Chat, urls: readonly string[]): Promise<void> => {
  await bobSocket.request('skip_chat', { sessionId });
  for (const url of urls) await until(() => isInUse(url));
};

describe('an image in a random chat', () => {
  it('is visible to its owner, and to the partner from the arrival of the message', async () => {
    const chat = await startChat();
    const users = { ada: chat.ada, bob: chat.bob, eve: await stack.createVisitor(1) };
    const images = await uploadThree(chat);
    for (const url of images) expect(await listViewers(url, users)).toEqual(['ada']);
    await sendThree(chat, images);
    for (const url of images) expect(await listViewers(url, users)).toEqual(['ada', 'bob']);
  });

  it('is kept while a message shows it, and removed after about a day if no message does', async () => {
    const chat = await startChat();
    const users = { ada: chat.ada, bob: chat.bob };
    const images = await uploadThree(chat);
    const unsent = await upload(chat.ada, 'chat-images');
    await sendThree(chat, images);
    await endChat(chat, images);
    expect(await isInUse(unsent)).toBe(false);
    expect(await listViewers(unsent, users)).toEqual(['ada']);

    await sweepUnused();
    for (const url of images) expect(await listViewers(url, users)).toEqual(['ada', 'bob']);
    expect(await listViewers(unsent, users)).toEqual([]);
    expect(await isStored(unsent)).toBe(false);
  });

  it('is visible to no one a day after the chat, and the next sweep deletes its file', async () => {
    const chat = await startChat();
    const users = { ada: chat.ada, bob: chat.bob };
    const images = await uploadThree(chat);
    await sendThree(chat, images);
    await endChat(chat, images);
    await expireMessagesUntil(async () => !(await canSee(chat.ada, images[0])));
    for (const url of images) expect(await listViewers(url, users)).toEqual([]);
    // Unlike unused images, expired ones are deleted without a further wait.
    await sweep();
    for (const url of images) expect(await isStored(url)).toBe(false);
  });

  it("must be the sender's own upload, in whatever form the message contains its URL", async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    const [adaImage, bobImage] = [await upload(ada, 'chat-images'), await upload(bob, 'chat-images')];
    const avatar = await upload(bob, 'avatars');
    for (const [messageType, content] of [
      ['image', adaImage],
      ['image', avatar],
      ['image', 'https://evil.example/pixel.png'],
      ['image', `${bobImage}?`], // not exactly the URL of an upload
      ['image', ''],
      ['mixed', 'no image at all'],
      ['mixed', formatImageMarkers({ text: 'both', imageUrls: [bobImage, adaImage] })],
      // The server also finds Ada's image if a space, a control character or an empty line follows its marker.
      ['mixed', `hidden\n[IMAGE:${adaImage}] \n[IMAGE:${bobImage}]`],
      ['mixed', `hidden\n[IMAGE:${adaImage}]\u0007\n[IMAGE:${bobImage}]`],
      ['mixed', `hidden\n[IMAGE:${adaImage}]\n\n[IMAGE:${bobImage}]`],
    ] as const) {
      // Unlike `request`, `ask` returns errors.
      const { event, data } = await bobSocket.ask('random_message', { sessionId, content, messageType });
      expect({ event, code: data.code }).toEqual({ event: 'error', code: 'image_not_yours' });
    }
    expect(adaSocket.all('random_message')).toEqual([]);
    expect(await canSee(ada, bobImage)).toBe(false);
    expect(await canSee(bob, adaImage)).toBe(false);

    // In a text message, the marker is plain text.
    await bobSocket.request('random_message', {
      sessionId,
      content: `[IMAGE:${adaImage}]`,
      messageType: 'text',
    });
    await adaSocket.next('random_message', ({ type }) => type === 'text');
    expect(await canSee(bob, adaImage)).toBe(false);
    expect(await isInUse(adaImage)).toBe(false);
  });
});

describe('an avatar', () => {
  const setAvatar = async (visitor: ThawVisitor, avatar: string | null): Promise<number> => {
    const { id, username } = visitor.user;
    return (await visitor.call('PUT', `/api/user/${id}`, { username, avatar })).status;
  };

  it('must be an avatar image that the user uploaded', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    const avatar = await upload(ada, 'avatars');
    const chatImage = await upload(ada, 'chat-images');
    expect(await setAvatar(bob, avatar)).toBe(400);
    expect(await setAvatar(ada, chatImage)).toBe(400);
    expect(await setAvatar(ada, `${avatar}?`)).toBe(400); // not exactly the URL of an upload
    expect(await setAvatar(ada, avatar)).toBe(200);
    expect((await ada.call('GET', `/api/user/${ada.user.id}`)).body.avatar).toBe(avatar);
  });

  it('is visible to other users, and is removed about a day after it is replaced', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    const [previous, current] = [await upload(ada, 'avatars'), await upload(ada, 'avatars')];
    expect(await setAvatar(ada, previous)).toBe(200);
    expect(await isInUse(previous)).toBe(true);
    expect(await setAvatar(ada, current)).toBe(200);
    expect(await isInUse(previous)).toBe(false);
    expect(await isInUse(current)).toBe(true);
    expect(await canSee(bob, previous)).toBe(true);

    await sweepUnused();
    expect(await canSee(bob, previous)).toBe(false);
    expect(await canSee(bob, current)).toBe(true);
    expect(await setAvatar(ada, previous)).toBe(400); // a removed image
    expect(await setAvatar(ada, null)).toBe(200);
    expect(await isInUse(current)).toBe(false);
  });
});

describe('an image in private messages', () => {
  it('is visible to a receiver until every message to them is deleted, and finally to no one', async () => {
    const [ada, bob, eve] = [
      await stack.createVisitor(0),
      await stack.createVisitor(1),
      await stack.createVisitor(1),
    ];
    const users = { ada, bob, eve };
    for (const friend of [bob, eve]) await makeFriends(stack.replicas[0]!, ada, friend);
    const socket = await ada.openSocket();
    const url = await upload(ada, 'chat-images');
    const getParticipants = (friend: ThawVisitor) => ({ senderId: ada.user.id, receiverId: friend.user.id });
    const send = async (friend: ThawVisitor) => {
      const reply = await socket.request('send_private_message', {
        ...getParticipants(friend),
        content: url,
        messageType: 'image',
      });
      return Number(reply.id);
    };
    const deleteMessage = (friend: ThawVisitor, messageId: number) =>
      socket.request('delete_private_message', { ...getParticipants(friend), messageId });

    const [toBob, toBobAgain, toEve] = [await send(bob), await send(bob), await send(eve)];
    await deleteMessage(bob, toBob);
    expect(await listViewers(url, users)).toEqual(['ada', 'bob', 'eve']);
    await deleteMessage(bob, toBobAgain);
    expect(await listViewers(url, users)).toEqual(['ada', 'eve']);
    await deleteMessage(eve, toEve);
    expect(await listViewers(url, users)).toEqual([]);
  });

  it('stays visible after a message with the same image in a random chat has expired', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    await makeFriends(stack.replicas[0]!, ada, bob);
    const url = await upload(ada, 'chat-images');
    await adaSocket.request('random_message', { sessionId, content: url, messageType: 'image' });
    await adaSocket.request('send_private_message', {
      senderId: ada.user.id,
      receiverId: bob.user.id,
      content: url,
      messageType: 'image',
    });
    await bobSocket.request('skip_chat', { sessionId });
    const readUses = () =>
      stack.database.dataSource.query<unknown[]>('SELECT 1 FROM upload_uses WHERE key = $1', [
        parseUploadUrl(url)!.key,
      ]);
    await until(async () => (await readUses()).length === 2);
    await expireMessagesUntil(async () => (await readUses()).length === 1);
    expect(await listViewers(url, { ada, bob })).toEqual(['ada', 'bob']);
  });
});

it('the job sweep_uploads deletes the files of removed images', async () => {
  const ada = await stack.createVisitor(0);
  const url = await upload(ada, 'chat-images');
  const expiredMessage = {
    streamId: 'chat-x',
    eventId: randomUUID(),
    type: 'MessageSent',
    data: { senderId: ada.user.id, messageType: 'image', content: url },
  };
  // `BodyExpiryProcessor` calls this when messages expire. It removes the images that no other message shows.
  await worker
    .get(UploadRemovalService, { strict: false })
    .releaseImagesOf([expiredMessage], stack.database.dataSource.manager);
  await worker.get(JobQueueService, { strict: false }).add('sweep_uploads', {});
  await until(async () => !(await isStored(url)));
});
