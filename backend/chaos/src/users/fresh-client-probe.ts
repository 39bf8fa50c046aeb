import { setTimeout as sleep } from 'node:timers/promises';
import type { UserLog } from '../check/user-log';
import { createSeededRandom } from '../random';
import { ChatBehaviour } from './chat-behaviour';
import { SimulatedUser } from './simulated-user';

const GIVE_UP_MS = 40_000;
/** A client that has searched for this long presses Reconnect, in case its connection has given up. */
const SEARCH_MS = 5_000;
/** After this time without a message from the partner, the client sends another one. */
const REPLY_WITHIN_MS = 3_000;

/** Result of a probe with fresh clients. */
export interface ProbeResult {
  /** Time from the recovery until both fresh clients had exchanged messages; undefined when they gave up. */
  tookMs: number | undefined;
  logs: UserLog[];
}

/** Two new visitors join, are matched with each other or with others, send a message and receive one. */
export const probeWithFreshClients = async (origin: string, seed: number): Promise<ProbeResult> => {
  const healedAt = Date.now();
  const deadline = healedAt + GIVE_UP_MS;
  const users = [new SimulatedUser(origin), new SimulatedUser(origin)];
  const haveExchanged = await Promise.all(
    users.map(async (user, number) => {
      if (!(await user.join(number === 0 ? 'female' : 'male', deadline))) return false;
      user.connect();
      return exchangeMessages(user, new ChatBehaviour(user, createSeededRandom(seed + number)), deadline);
    }),
  );
  const tookMs = haveExchanged.every(Boolean) ? Date.now() - healedAt : undefined;
  await Promise.all(
    users.map(async (user) => {
      if (user.recorder?.current) await new ChatBehaviour(user, createSeededRandom(seed)).skip();
      user.isStopping = true;
      user.disconnect();
    }),
  );
  return { tookMs, logs: users.flatMap(({ recorder }) => (recorder ? [recorder.log] : [])) };
};

/** @returns whether the message was acknowledged and one from the partner was received. */
const exchangeMessages = async (
  user: SimulatedUser,
  chat: ChatBehaviour,
  deadline: number,
): Promise<boolean> => {
  while (Date.now() < deadline) {
    if (!chat.isChatting && !(await chat.search(Math.min(SEARCH_MS, deadline - Date.now())))) {
      user.connection.pressReconnect();
      continue;
    }
    if ((await chat.sendMessage()) !== 'done') continue;
    for (
      const retryAt = Date.now() + REPLY_WITHIN_MS;
      Date.now() < retryAt && chat.isChatting;
      await sleep(20)
    ) {
      if (user.recorder.messages.some(({ senderId }) => senderId !== user.id)) return true;
    }
  }
  return false;
};
