// Pairs of users are matched, become friends, and then send, edit, react to, delete and read private messages.
// Settings: PEOPLE (40, an even number), RAMP (10s), DURATION (1m).
import exec from 'k6/execution';
import { callApi, createAccount, expectStatus, requestFriend } from './lib/account.ts';
import { waitForArrival, createFinishThreshold, createPeopleScenario } from './lib/chat-scenario.ts';
import { Conversation, findChat, chooseGender } from './lib/conversation.ts';
import { LiveUser, wait } from './lib/live-user.ts';
import {
  commonThresholds,
  delivery,
  duplicates,
  lost,
  outOfOrder,
  initializeCounters,
} from './lib/metrics.ts';
import { readCount, readDuration } from './lib/settings.ts';

const people = readCount('PEOPLE', 40);
const rampMs = readDuration('RAMP', '10s');
const durationMs = readDuration('DURATION', '1m');
/** Time for two users to be matched and become friends. Also the time limit of each of these steps. */
const MEET_MS = 30_000;
/** Time for the last messages to arrive. */
const LAST_FRAMES_MS = 3_000;
/** Beginning of the last message of a user, followed by the number of messages that they have sent before. */
const TOTAL_PREFIX = 'total ';

export const options = {
  scenarios: createPeopleScenario(people, rampMs + MEET_MS + durationMs),
  thresholds: {
    ...commonThresholds,
    ...createFinishThreshold(people),
    thaw_round_trip: ['p(95)<250'],
    thaw_delivery: ['p(95)<250'],
  },
};

/** Checks that each numbered message of the friend arrives once and in order. */
class Inbox {
  /** @type {Set<number>} */
  received = new Set();
  highest = 0;

  /** @param {string} content `<time of sending> <number from 1>` */
  record(content) {
    const [sentAt, number] = content.split(' ').map(Number);
    if (sentAt === undefined || number === undefined) return;
    delivery.add(Date.now() - sentAt);
    if (this.received.has(number)) duplicates.add(1);
    else if (number < this.highest) outOfOrder.add(1);
    this.received.add(number);
    this.highest = Math.max(this.highest, number);
  }
}

/**
 * Waits for a random chat and makes its two users friends.
 * @param {LiveUser} user
 * @returns {Promise<number>} the id of the friend
 */
const makeFriend = async (user) => {
  const chat = await findChat(user, MEET_MS);
  if (!chat) throw new Error('There was no match');
  const accepted = user.waitFor('friendship_accepted', MEET_MS);
  // Both users send a request. The later request accepts the earlier one.
  requestFriend(user.account, chat.partnerId);
  if (!(await accepted)) throw new Error('The friendship was not accepted');
  return chat.partnerId;
};

/**
 * After 4 of 10 messages: edits, deletes or reacts to the message, or marks those of the friend as read.
 * @param {LiveUser} user
 * @param {number} friendId
 * @param {number} messageId  the message that `user` has sent
 */
const performRandomAction = async (user, friendId, messageId) => {
  const parties = { senderId: user.id, receiverId: friendId };
  const roll = Math.random();
  if (roll < 0.1) await user.request('edit_private_message', { messageId, newContent: 'edited', ...parties });
  else if (roll < 0.2) await user.request('delete_private_message', { messageId, ...parties });
  else if (roll < 0.3)
    await user.request('react_private_message', {
      messageId,
      emoji: '👍',
      userId: user.id,
      receiverId: friendId,
    });
  else if (roll < 0.4)
    expectStatus(
      callApi('PUT', `/private-messages/read/${friendId}/${user.id}`, {
        account: user.account,
        route: '/private-messages/read/{friendId}/{userId}',
      }),
      204,
    );
};

/**
 * Sends numbered messages, with a random action after some of them.
 * @param {LiveUser} user
 * @param {number} friendId
 * @param {number} untilMs
 * @returns {Promise<number>} the number of messages sent
 */
const writeUntil = async (user, friendId, untilMs) => {
  let count = 0;
  while (Date.now() < untilMs) {
    await wait(500 + Math.random() * 1_500);
    count += 1;
    const ack = await user.request('send_private_message', {
      senderId: user.id,
      receiverId: friendId,
      content: `${Date.now()} ${count}`,
      messageType: 'text',
      clientId: `${user.id}-${count}`,
    });
    // Without an ack the message still counts as sent: the friend counts it as lost if it does not arrive.
    if (ack?.event !== 'ack') continue;
    await performRandomAction(user, friendId, Number(ack.data.id));
  }
  return count;
};

export default async () => {
  initializeCounters();
  const endsAt = exec.scenario.startTime + rampMs + MEET_MS + durationMs;
  await waitForArrival(people, rampMs);
  const user = new LiveUser(createAccount(chooseGender(exec.vu.idInTest)));
  const conversation = new Conversation(user);
  if ((await user.connect()) === undefined) throw new Error('The socket could not be opened');
  const friendId = await makeFriend(user);
  const inbox = new Inbox();
  /** Number of messages that the friend has sent; 0 until their last message has arrived. */
  let expectedCount = 0;
  user.onFrame = ({ event, data }) => {
    if (event !== 'private_message' || data.senderId !== friendId) return;
    const content = String(data.content);
    if (content.startsWith(TOTAL_PREFIX)) expectedCount = Number(content.slice(TOTAL_PREFIX.length));
    else inbox.record(content);
  };
  // The random chat (`user.chat`) only served to meet. Both users skip it; the second skip has no effect.
  await conversation.skip();
  const count = await writeUntil(user, friendId, endsAt - LAST_FRAMES_MS);
  await user.request('send_private_message', {
    senderId: user.id,
    receiverId: friendId,
    content: `${TOTAL_PREFIX}${count}`,
    messageType: 'text',
    clientId: `${user.id}-total`,
  });
  await wait(endsAt - Date.now());
  // If the number has not arrived, at least the message with it is lost.
  lost.add(expectedCount === 0 ? 1 : expectedCount - inbox.received.size);
  user.leave();
};
