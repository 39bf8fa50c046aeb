import { randomBytes } from 'node:crypto';
import { findQuestionById } from '@thaw/contract/questions';
import sharp from 'sharp';
import { textMessage, type ThawSocket, ThawVisitor } from './thaw.client';

// Uses neither Jest nor code of the server, because the test of Docker Compose runs the compiled file with Node.

/** A word that occurs nowhere else, so that a search for it finds every copy. Short enough for a username. */
export const createCanaryWord = (): string => `canary${randomBytes(10).toString('hex')}`;

/**
 * Everything that a user can send as text, including the metadata of images. `reportWords` and `appealWords` are the
 * texts of a report and an appeal, which only canary.drill-spec.ts sends.
 */
const FIELDS = [
  'email',
  'newEmail',
  'password',
  'wrongPassword',
  'unknownEmail',
  'earlierName',
  'name',
  'userAgent',
  'referrer',
  'requestId',
  'fileName',
  'avatarMetadata',
  'imageMetadata',
  'message',
  'edited',
  'clientId',
  'gameId',
  'reply',
  'privateMessage',
  'privateEdit',
  'privateClientId',
  'deletedMessage',
  'privateReply',
  'reportWords',
  'appealWords',
  'refusedFrame',
  'unknownEvent',
  'path',
  'query',
] as const;
/** A canary word for each field. */
export type Words = Record<(typeof FIELDS)[number], string>;

export const createWords = (): Words =>
  Object.fromEntries(FIELDS.map((field) => [field, createCanaryWord()])) as unknown as Words;

/** @param secret text that is put into the EXIF and XMP metadata. */
const createPhotoWithMetadata = (secret: string): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: '#c44' } })
    .withExif({ IFD0: { Artist: secret, Copyright: secret, ImageDescription: secret } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${secret}</x:xmpmeta>`)
    .jpeg()
    .toBuffer();

/** Uploads a photo with a word in its metadata. @returns its URL */
const upload = async (
  visitor: ThawVisitor,
  bucket: 'avatars' | 'chat-images',
  words: Words,
): Promise<string> => {
  const bytes = await createPhotoWithMetadata(
    bucket === 'avatars' ? words.avatarMetadata : words.imageMetadata,
  );
  const form = new FormData();
  form.append('bucket', bucket);
  form.append('fileName', `${words.fileName}.jpg`);
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), `${words.fileName}.jpg`);
  const { body, status } = await visitor.call('POST', '/api/upload', form);
  if (status !== 201) throw new Error(`The upload was answered with ${status}`);
  return String(body.url);
};

const requireSuccess = ({ status }: { status: number }): void => {
  if (status >= 300) throw new Error(`A call was answered with ${status}`);
};

/**
 * Registers a user, then changes the name, avatar and email address, fails to log in, and requests an unknown path.
 * Every text in these requests contains a word of `words`.
 */
export const registerAndChangeProfile = async (origin: string, words: Words): Promise<ThawVisitor> => {
  const ada = await new ThawVisitor([origin]).register(
    `${words.email}@example.org`,
    words.password,
    'female',
  );
  const path = `/api/user/${ada.user.id}`;
  requireSuccess(await ada.call('PUT', path, { username: words.earlierName, avatar: null }));
  const avatar = await upload(ada, 'avatars', words);
  const headers = {
    'user-agent': words.userAgent,
    referer: `${origin}/${words.referrer}`,
    'x-request-id': words.requestId,
  };
  requireSuccess(await ada.call('PUT', path, { username: words.name, avatar }, headers));
  requireSuccess(
    await ada.call(
      'PUT',
      `${path}/email`,
      { newEmail: `${words.newEmail}@example.org`, currentPassword: words.password },
      headers,
    ),
  );
  for (const email of [words.newEmail, words.unknownEmail])
    await new ThawVisitor([origin]).call(
      'POST',
      '/api/login',
      { email: `${email}@example.org`, password: words.wrongPassword },
      headers,
    );
  await ada.call('GET', `/api/${words.path}?q=${words.query}`, undefined, headers);
  return ada;
};

interface PrivateMessage {
  from: ThawVisitor;
  to: ThawVisitor;
  content: string;
  messageType?: 'text' | 'image';
  replyTo?: { id: number };
  clientId?: string;
}

/** Ada, who is female, and Bob, who is male, each with an open socket, and the canary words that Ada writes. */
interface WritingUsers {
  ada: ThawVisitor;
  bob: ThawVisitor;
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  words: Words;
}

/** Holds a random chat with a message, its edit, a reaction, quotes, an image and a game. @returns the session id. */
export const holdRandomChat = async ({
  ada,
  bob,
  adaSocket,
  bobSocket,
  words,
}: WritingUsers): Promise<string> => {
  await adaSocket.request('join_queue', { preferences: 'male' });
  await bobSocket.request('join_queue', { preferences: 'female' });
  const matched = await adaSocket.next('chat_matched', ({ partnerId }) => partnerId === bob.user.id);
  const sessionId = String(matched.sessionId);
  await bobSocket.next('chat_matched', (data) => data.sessionId === sessionId);
  const messageAck = await adaSocket.request(
    'random_message',
    textMessage(sessionId, words.message, words.clientId),
  );
  const messageId = String(messageAck.id);
  const edit = { sessionId, messageId, newContent: words.edited, userId: ada.user.id };
  await adaSocket.request('message_edit', edit);
  await bobSocket.request('message_reaction', {
    sessionId,
    messageId,
    emoji: '👍',
    action: 'add',
    userId: bob.user.id,
  });
  const quote = { ...textMessage(sessionId, 'quoting you'), replyTo: { messageId } };
  const quoteAck = await bobSocket.request('random_message', quote);
  await adaSocket.request('random_message', {
    ...textMessage(sessionId, words.reply),
    replyTo: { messageId: String(quoteAck.id) },
  });
  const image = await upload(ada, 'chat-images', words);
  await adaSocket.request('random_message', { sessionId, content: image, messageType: 'image' });
  const game = { sessionId, gameId: words.gameId };
  const [firstOption, secondOption] = findQuestionById(1)!.options;
  await adaSocket.request('break_ice_start', { ...game, question: { id: 1 }, initiatorId: ada.user.id });
  await adaSocket.request('break_ice_response', { ...game, userId: ada.user.id, response: firstOption! });
  await bobSocket.request('break_ice_response', { ...game, userId: bob.user.id, response: secondOption! });
  // The server refuses both frames: a message of an unknown chat, and an event that is not part of the protocol. Unlike
  // `request`, `ask` does not throw then.
  await adaSocket.ask('random_message', { ...textMessage('no-such-chat', words.refusedFrame) });
  await adaSocket.ask(words.unknownEvent as 'random_message', { sessionId } as never);
  return sessionId;
};

/** Makes the users friends and sends private messages: one is edited, one deleted, two are quotes, one is an image. */
export const writePrivately = async ({
  ada,
  bob,
  adaSocket,
  bobSocket,
  words,
}: WritingUsers): Promise<void> => {
  // The second request is in the other direction, which accepts the first one.
  for (const [from, to] of [
    [ada, bob],
    [bob, ada],
  ] as const)
    requireSuccess(
      await from.call('POST', '/api/friends/request', { requesterId: from.user.id, addresseeId: to.user.id }),
    );
  const send = async (socket: ThawSocket, { from, to, ...message }: PrivateMessage): Promise<number> => {
    const users = { senderId: from.user.id, receiverId: to.user.id };
    const data = { messageType: 'text' as const, ...users, ...message };
    return Number((await socket.request('send_private_message', data)).id);
  };
  const id = await send(adaSocket, {
    from: ada,
    to: bob,
    content: words.privateMessage,
    clientId: words.privateClientId,
  });
  const users = { senderId: ada.user.id, receiverId: bob.user.id };
  await adaSocket.request('edit_private_message', {
    ...users,
    messageId: id,
    newContent: words.privateEdit,
  });
  await send(bobSocket, { from: bob, to: ada, content: 'quoting you', replyTo: { id } });
  await send(adaSocket, { from: ada, to: bob, content: words.privateReply, replyTo: { id } });
  const deletedId = await send(adaSocket, { from: ada, to: bob, content: words.deletedMessage });
  await adaSocket.request('delete_private_message', { ...users, messageId: deletedId });
  await send(adaSocket, {
    from: ada,
    to: bob,
    content: await upload(ada, 'chat-images', words),
    messageType: 'image',
  });
};
