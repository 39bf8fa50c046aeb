import { check, fail } from 'k6';
import encoding from 'k6/encoding';
import http, { CookieJar } from 'k6/http';
import type { ClientEvent, ClientInput } from '../../../contract/src/client-frames.ts';
import type { PrivateMessage } from '../../../contract/src/private-chat.ts';
import type { ServerEvent, ServerFrame } from '../../../contract/src/server-frames.ts';
import type { UploadBucket } from '../../../contract/src/uploads.ts';
import type { Friend, PublicUser } from '../../../contract/src/users.ts';
import {
  type Account,
  callApi,
  buildCookieHeader,
  createAccount,
  expectStatus,
  requestFriend,
} from './account.ts';
import { Conversation } from './conversation.ts';
import { type CurrentChat, LiveUser, wait } from './live-user.ts';
import { initializeCounters, timeToResume } from './metrics.ts';
import { baseUrl } from './settings.ts';

// Message types. Written directly into the object literals below, they would have the type string.
const text = 'text' as const;
const mixed = 'mixed' as const;
const FRAME_WITHIN_MS = 10_000;
/** Longer than the server takes to notice a closed socket. */
const LOSS_NOTICED_WITHIN_MS = 500;
/** A picture of 8 by 8 pixels. */
const png = encoding.b64decode(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGM4UWGDFTEMLQkAQfNfAVTFtrMAAAAASUVORK5CYII=',
);

/** Fails the test unless `isTrue`. */
const expectTrue = (statement: string, isTrue: boolean): void => {
  if (!check(isTrue, { [statement]: (value) => value })) fail(statement);
};

/** @returns the value. Fails the test if it is undefined or null. */
const expectPresent = <Value>(statement: string, value: Value | undefined | null): Value => {
  expectTrue(statement, value !== undefined && value !== null);
  return value as Value;
};

/** Sends a command. @returns the data of its ack. Fails the test for any other response. */
const expectAck = async <E extends ClientEvent>(
  user: LiveUser,
  event: E,
  data: ClientInput<E>,
): Promise<Record<string, unknown>> => {
  const response = await user.request(event, data);
  expectTrue(`${event} is acknowledged`, response?.event === 'ack');
  return response?.data ?? {};
};

/** Runs `act` and waits for a frame to `receiver`. @returns the result of `act`, and the data of the frame */
const expectFrame = async <E extends ServerEvent, Result>(
  receiver: LiveUser,
  event: E,
  act: () => Promise<Result> | Result,
): Promise<{ result: Result; data: ServerFrame<E>['data'] }> => {
  const frame = receiver.waitFor(event, FRAME_WITHIN_MS);
  const result = await act();
  return { result, data: expectPresent(`${event} arrives`, await frame) };
};

/** @returns the address of the uploaded picture */
const upload = (account: Account, bucket: UploadBucket): string => {
  const form = { bucket, fileName: 'smoke.png', file: http.file(png, 'smoke.png', 'image/png') };
  const response = http.post(`${baseUrl}/api/upload`, form, {
    headers: { Cookie: account.cookie },
    // The account's cookie is passed explicitly, as in `callApi`.
    jar: new CookieJar(),
    responseType: 'text',
  });
  return expectStatus<{ url: string }>(response, 201).url;
};

/** Registers a man, logs out and logs in again. */
const registerAndLogIn = (): Account => {
  const credentials = { email: `smoke-${Date.now()}@example.com`, password: 'smoke-test-1' };
  const registered = callApi('POST', '/register', { body: credentials });
  const { user } = expectStatus<{ user: { id: number } }>(registered, 201);
  expectStatus(
    callApi('POST', '/logout', { account: { id: user.id, cookie: buildCookieHeader(registered) } }),
    204,
  );
  const loggedIn = callApi('POST', '/login', { body: credentials });
  expectStatus(loggedIn, 200);
  const account = { id: user.id, cookie: buildCookieHeader(loggedIn) };
  expectStatus(callApi('PATCH', `/user/${user.id}`, { account, body: { gender: 'male' } }), 200);
  return account;
};

/** Turns an anonymous account into a registered one. */
const convertToRegistered = (account: Account): void => {
  const body = {
    userId: account.id,
    email: `smoke-${account.id}-${Date.now()}@example.com`,
    password: 'smoke-test-1',
  };
  const response = callApi('POST', '/convert-anonymous', { account, body });
  expectStatus(response, 200);
  // If the response sets no cookie, the earlier one stays valid.
  account.cookie = buildCookieHeader(response) || account.cookie;
};

/** Matches two users, who search for each other's gender. @returns their chat */
const matchWithEachOther = async (man: LiveUser, woman: LiveUser): Promise<CurrentChat> => {
  const matched = [man, woman].map((user) => user.waitFor('chat_matched', FRAME_WITHIN_MS));
  expectPresent('the man joins the queue', await man.request('join_queue', { preferences: 'female' }));
  expectPresent('the woman joins the queue', await woman.request('join_queue', { preferences: 'male' }));
  const [matchOfMan] = await Promise.all(matched);
  expectTrue('the two are matched with each other', matchOfMan?.partnerId === woman.id);
  return expectPresent('the chat starts', man.chat);
};

/** Two users use every feature of a random chat, and become friends. Leaves them in no chat. */
const exerciseRandomChat = async (abe: LiveUser, bea: LiveUser): Promise<void> => {
  const { sessionId } = await matchWithEachOther(abe, bea);
  await exchangeMessages(abe, bea, sessionId);
  await sendPhoto(abe, bea, sessionId);
  await playGames(abe, bea, sessionId);
  await loseAndResumeChat(abe, bea, sessionId);
  await becomeFriends(abe, bea);
  // A `Conversation` acts in the current chat of its user.
  await expectFrame(bea, 'chat_skipped', () => new Conversation(abe).skip());
};

/** Abe types and sends a message; Bea replies; Abe edits the message and reacts to the reply. */
const exchangeMessages = async (abe: LiveUser, bea: LiveUser, sessionId: string): Promise<void> => {
  const userId = abe.id;
  await expectFrame(bea, 'typing', async () => abe.send('typing', { sessionId }));
  const greeting = { sessionId, content: 'hello', messageType: text, clientId: 'smoke-1' };
  const { result: sent } = await expectFrame(bea, 'random_message', () =>
    expectAck(abe, 'random_message', greeting),
  );
  const reply = {
    sessionId,
    content: 'hello you',
    messageType: text,
    replyTo: { messageId: String(sent.id) },
  };
  const replied = await expectFrame(abe, 'random_message', () => expectAck(bea, 'random_message', reply));
  expectTrue('the reply quotes the message', replied.data.replyTo?.content === 'hello');
  const edit = { sessionId, messageId: String(sent.id), newContent: 'hello there', userId };
  await expectFrame(bea, 'message_edited', () => expectAck(abe, 'message_edit', edit));
  const reaction = {
    sessionId,
    messageId: String(replied.result.id),
    emoji: '🔥',
    action: 'add' as const,
    userId,
  };
  await expectFrame(bea, 'message_reaction', () => expectAck(abe, 'message_reaction', reaction));
};

const sendPhoto = async (abe: LiveUser, bea: LiveUser, sessionId: string): Promise<void> => {
  const url = upload(abe.account, 'chat-images');
  const photo = { sessionId, content: `look\n[IMAGE:${url}]`, messageType: mixed };
  await expectFrame(bea, 'random_message', () => expectAck(abe, 'random_message', photo));
  const path = url.replace('/api', ''); // `callApi` adds the prefix
  // The results of k6 are grouped by route.
  const shown = callApi('GET', path, { account: bea.account, route: '/files/{bucket}/{key}' });
  expectTrue('the partner sees the photo', shown.status === 200);
};

/** Two games of Break the Ice: one with equal answers, and one that is ignored. */
const playGames = async (abe: LiveUser, bea: LiveUser, sessionId: string): Promise<void> => {
  const startGame = (gameId: string, question: { id: number }) =>
    expectFrame(bea, 'break_ice_question_received', () =>
      expectAck(abe, 'break_ice_start', { sessionId, gameId, question, initiatorId: abe.id }),
    );
  const started = await startGame('smoke-1', { id: 1 });
  const response = expectPresent('the question has options', started.data.question.options[0]);
  const answer = { sessionId, gameId: 'smoke-1', response };
  await expectFrame(bea, 'break_ice_partner_answered', () =>
    expectAck(abe, 'break_ice_response', { ...answer, userId: abe.id }),
  );
  const { data } = await expectFrame(abe, 'break_ice_reveal_results', () =>
    expectAck(bea, 'break_ice_response', { ...answer, userId: bea.id }),
  );
  expectTrue('the same answers are recognised', data.sameAnswer === true);

  await startGame('smoke-2', { id: 2 });
  await expectFrame(abe, 'break_ice_ignored', () =>
    expectAck(bea, 'break_ice_ignore', { sessionId, gameId: 'smoke-2', userId: bea.id }),
  );
};

/** Bea loses the connection, misses a message of Abe, and receives it when the chat is resumed. */
const loseAndResumeChat = async (abe: LiveUser, bea: LiveUser, sessionId: string): Promise<void> => {
  const lostAt = Date.now();
  const resumed = bea.waitFor('session_resumed', FRAME_WITHIN_MS);
  bea.dropSocket();
  // Until the server notices the closed socket, it would send the message to this socket.
  await wait(LOSS_NOTICED_WITHIN_MS);
  const missed = { sessionId, content: 'said while away', messageType: text };
  await expectAck(abe, 'random_message', missed);
  expectTrue('the user returns to the chat', (await bea.connect()) === 'chatting');
  const { events } = expectPresent('the chat is resumed', await resumed);
  expectTrue('the missed message comes with the resume', JSON.stringify(events).includes(missed.content));
  // The metric includes the wait before the reconnect.
  timeToResume.add(Date.now() - lostAt);
};

const becomeFriends = async (abe: LiveUser, bea: LiveUser): Promise<void> => {
  const accepted = abe.waitFor('friendship_accepted', FRAME_WITHIN_MS);
  await expectFrame(bea, 'friend_request', async () => requestFriend(abe.account, bea.id));
  // A request in the opposite direction accepts the first one.
  requestFriend(bea.account, abe.id);
  expectPresent('the friendship is accepted', await accepted);
};

/** Two friends use every feature of a private chat. */
const exercisePrivateChat = async (abe: LiveUser, bea: LiveUser): Promise<void> => {
  const senderAndReceiver = { senderId: abe.id, receiverId: bea.id };
  await expectFrame(bea, 'typing', async () => abe.send('typing', { receiverId: bea.id }));
  const message = { ...senderAndReceiver, content: 'hello friend', messageType: text, clientId: 'smoke-p1' };
  const { result } = await expectFrame(bea, 'private_message', () =>
    expectAck(abe, 'send_private_message', message),
  );
  const messageId = Number(result.id);
  const asBea = { account: bea.account };
  const unread = expectStatus<Record<string, number>>(
    callApi('GET', `/private-messages/unread-counts/${bea.id}`, asBea),
    200,
  );
  expectTrue('the message counts as unread', unread[abe.id] === 1);
  await expectFrame(bea, 'private_message_edited', () =>
    expectAck(abe, 'edit_private_message', { messageId, newContent: 'hello, friend', ...senderAndReceiver }),
  );
  await expectFrame(abe, 'private_message_reaction', () =>
    expectAck(bea, 'react_private_message', { messageId, emoji: '👏', userId: bea.id, receiverId: abe.id }),
  );
  expectStatus(callApi('PUT', `/private-messages/read/${abe.id}/${bea.id}`, asBea), 204);
  const messages = expectStatus<PrivateMessage[]>(
    callApi('GET', `/private-messages/${bea.id}/${abe.id}`, asBea),
    200,
  );
  expectTrue('the message is in the history', messages.at(-1)?.content === 'hello, friend');
  await expectFrame(bea, 'private_message_deleted', () =>
    expectAck(abe, 'delete_private_message', { messageId, ...senderAndReceiver }),
  );
  const friends = expectStatus<Friend[]>(callApi('GET', `/friends/${bea.id}`, asBea), 200);
  expectTrue(
    'the friend is in the list',
    friends.some(({ id }) => id === abe.id),
  );
};

/** Changes a user's name and picture; their friend sees them. */
const changeProfile = async (abe: LiveUser, bea: LiveUser): Promise<void> => {
  const { account, id } = abe;
  const avatar = upload(account, 'avatars');
  const body = { username: `Smoke ${id}`, avatar };
  await expectFrame(bea, 'profile_updated', async () =>
    expectStatus(callApi('PUT', `/user/${id}`, { account, body }), 200),
  );
  const profile = expectStatus<PublicUser>(callApi('GET', `/user/${id}`, { account: bea.account }), 200);
  expectTrue('the friend sees the new name', profile.username === body.username);
  // The only random chat of this user was the one with Bea.
  const history = expectStatus<unknown[]>(callApi('GET', `/chat-history/${id}`, { account }), 200);
  expectTrue('the chat is in the history', history.length === 1);
};

/** Matches two users. Dea reports and blocks Cal, and then removes the block. */
const reportAndBlock = async (cal: LiveUser, dea: LiveUser): Promise<void> => {
  const { sessionId } = await matchWithEachOther(cal, dea);
  const { account } = dea;
  const report = { reporterId: dea.id, targetId: cal.id, category: 'spam', sessionId };
  expectStatus(callApi('POST', '/reports', { account, body: report }), 201);
  const block = { blockerId: dea.id, blockedId: cal.id };
  const { data } = await expectFrame(cal, 'chat_skipped', async () =>
    expectStatus(callApi('POST', '/blocks', { account, body: block }), 201),
  );
  expectTrue('the block looks like a skip', data.reason === 'skipped');
  const route = '/blocks/{userId}/{blockedId}';
  expectStatus(callApi('DELETE', `/blocks/${dea.id}/${cal.id}`, { account, route }), 204);
};

const joinAndLeaveQueue = async (user: LiveUser): Promise<void> => {
  await expectAck(user, 'join_queue', { preferences: 'both' });
  await expectAck(user, 'leave_queue', {});
};

/** Five users use every feature once. */
export const exerciseEverything = async (): Promise<void> => {
  initializeCounters();
  const abe = new LiveUser(registerAndLogIn());
  const bea = new LiveUser(createAccount('female'));
  const cal = new LiveUser(createAccount('male'));
  const dea = new LiveUser(createAccount('female'));
  const eli = new LiveUser(createAccount('male'));
  const people = [abe, bea, cal, dea, eli];
  // `connect` returns the state of the user: `idle` means authenticated and in no chat or queue.
  for (const user of people) expectTrue('the socket is authenticated', (await user.connect()) === 'idle');
  expectTrue('a ping is answered', (await abe.request('ping', {}))?.event === 'pong');
  await exerciseRandomChat(abe, bea);
  await exercisePrivateChat(abe, bea);
  await changeProfile(abe, bea);
  await reportAndBlock(cal, dea);
  await joinAndLeaveQueue(eli);
  convertToRegistered(eli.account);
  const friendship = `/friends/${abe.id}/${bea.id}`;
  await expectFrame(bea, 'friendship_removed', async () =>
    expectStatus(callApi('DELETE', friendship, { account: abe.account }), 204),
  );
  for (const user of people) {
    user.leave();
    expectStatus(callApi('POST', '/logout', { account: user.account }), 204);
  }
};
