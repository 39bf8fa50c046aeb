import { randomBytes } from 'node:crypto';
import { findQuestionById } from '@thaw/contract/questions';
import sharp from 'sharp';
import { textMessage, type ThawSocket, ThawVisitor } from './thaw.client';

// This file uses neither Jest nor code of the server, because the test of Docker Compose runs its compiled form.

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

/** Uploads a photo with words in its name and metadata. @returns its URL */
const uploadPhoto = async (
  visitor: ThawVisitor,
  bucket: 'avatars' | 'chat-images',
  words: Words,
): Promise<string> => {
  const fileName = `${words.fileName}.jpg`;
  const secret = bucket === 'avatars' ? words.avatarMetadata : words.imageMetadata;
  const bytes = await createPhotoWithMetadata(secret);
  const form = new FormData();
  form.append('bucket', bucket);
  form.append('fileName', fileName);
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), fileName);
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
  const avatar = await uploadPhoto(ada, 'avatars', words);
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
  for (const emailWord of [words.newEmail, words.unknownEmail]) {
    const credentials = { email: `${emailWord}@example.org`, password: words.wrongPassword };
    await new ThawVisitor([origin]).call('POST', '/api/login', credentials, headers);
  }
  await ada.call('GET', `/api/${words.path}?q=${words.query}`, undefined, headers);
  return ada;
};

/** Ada, who is female, and Bob, who is male, each with an open socket, and the canary words that Ada writes. */
interface WritingUsers {
  ada: ThawVisitor;
  bob: ThawVisitor;
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  words: Words;
}

/** Holds a random chat with a message, its edit, a reaction, quotes, an image and a game. @returns the session id. */
export const holdRandomChat = async (users: WritingUsers): Promise<string> => {
  const sessionId = await matchUsers(users);
  await exchangeRandomMessages(users, sessionId);
  await playBreakTheIce(users, sessionId);
  await sendRefusedFrames(users, sessionId);
  return sessionId;
};

/** @returns the session id of the chat */
const matchUsers = async ({ bob, adaSocket, bobSocket }: WritingUsers): Promise<string> => {
  await adaSocket.request('join_queue', { preferences: 'male' });
  await bobSocket.request('join_queue', { preferences: 'female' });
  const matched = await adaSocket.next('chat_matched', ({ partnerId }) => partnerId === bob.user.id);
  const sessionId = String(matched.sessionId);
  await bobSocket.next('chat_matched', (data) => data.sessionId === sessionId);
  return sessionId;
};

const exchangeRandomMessages = async (
  { ada, bob, adaSocket, bobSocket, words }: WritingUsers,
  sessionId: string,
): Promise<void> => {
  const message = textMessage(sessionId, words.message, words.clientId);
  const messageAck = await adaSocket.request('random_message', message);
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
  const image = await uploadPhoto(ada, 'chat-images', words);
  await adaSocket.request('random_message', { sessionId, content: image, messageType: 'image' });
};

const playBreakTheIce = async (
  { ada, bob, adaSocket, bobSocket, words }: WritingUsers,
  sessionId: string,
): Promise<void> => {
  const game = { sessionId, gameId: words.gameId };
  const [firstOption, secondOption] = findQuestionById(1)!.options;
  await adaSocket.request('break_ice_start', { ...game, question: { id: 1 }, initiatorId: ada.user.id });
  await adaSocket.request('break_ice_response', { ...game, userId: ada.user.id, response: firstOption! });
  await bobSocket.request('break_ice_response', { ...game, userId: bob.user.id, response: secondOption! });
};

/** Sends a message of an unknown chat, and an event that is not part of the protocol. */
const sendRefusedFrames = async ({ adaSocket, words }: WritingUsers, sessionId: string): Promise<void> => {
  // Unlike `request`, `ask` does not throw when the server refuses the frame.
  await adaSocket.ask('random_message', { ...textMessage('no-such-chat', words.refusedFrame) });
  await adaSocket.ask(words.unknownEvent as 'random_message', { sessionId } as never);
};

/** Makes the users friends and sends private messages: one is edited, one deleted, two are quotes, one is an image. */
export const writePrivately = async ({
  ada,
  bob,
  adaSocket,
  bobSocket,
  words,
}: WritingUsers): Promise<void> => {
  await requestFriend(ada, bob);
  await requestFriend(bob, ada); // accepts the first request
  const fromAda = { senderId: ada.user.id, receiverId: bob.user.id };
  const fromBob = { senderId: bob.user.id, receiverId: ada.user.id };
  const id = await sendPrivateMessage(adaSocket, {
    ...fromAda,
    content: words.privateMessage,
    clientId: words.privateClientId,
  });
  await adaSocket.request('edit_private_message', {
    ...fromAda,
    messageId: id,
    newContent: words.privateEdit,
  });
  await sendPrivateMessage(bobSocket, { ...fromBob, content: 'quoting you', replyTo: { id } });
  await sendPrivateMessage(adaSocket, { ...fromAda, content: words.privateReply, replyTo: { id } });
  const deletedId = await sendPrivateMessage(adaSocket, { ...fromAda, content: words.deletedMessage });
  await adaSocket.request('delete_private_message', { ...fromAda, messageId: deletedId });
  const image = await uploadPhoto(ada, 'chat-images', words);
  await sendPrivateMessage(adaSocket, { ...fromAda, content: image, messageType: 'image' });
};

const requestFriend = async (requester: ThawVisitor, addressee: ThawVisitor): Promise<void> => {
  const body = { requesterId: requester.user.id, addresseeId: addressee.user.id };
  requireSuccess(await requester.call('POST', '/api/friends/request', body));
};

interface PrivateMessage {
  senderId: number;
  receiverId: number;
  content: string;
  /** `text` by default. */
  messageType?: 'text' | 'image';
  replyTo?: { id: number };
  clientId?: string;
}

/** @returns the id of the message */
const sendPrivateMessage = async (socket: ThawSocket, message: PrivateMessage): Promise<number> => {
  const data = { messageType: 'text' as const, ...message };
  const ack = await socket.request('send_private_message', data);
  return Number(ack.id);
};
