import { setTimeout as sleep } from 'node:timers/promises';
import type { UserLog } from '../check/user-log';
import { createSeededRandom } from '../random';
import { ChatBehaviour } from './chat-behaviour';
import { SimulatedUser } from './simulated-user';

const PROBE_TIMEOUT_MS = 40_000;
/** A client that has searched for this long presses Reconnect, in case its connection has given up. */
const SEARCH_MS = 5_000;
/** After this time without a message from the partner, the client sends another message. */
const RESEND_AFTER_MS = 3_000;
const MESSAGE_POLL_MS = 20;

/** Result of a probe with fresh clients. */
export interface ProbeResult {
  /** Time until both fresh clients had exchanged messages; undefined when that did not happen in time. */
  tookMs: number | undefined;
  logs: UserLog[];
}

/**
 * Checks that the service works, as new visitors see it: two visitors join, are matched with each other or with other
 * users, send a message and receive one. Then they leave.
 */
export const probeWithFreshClients = async (origin: string, seed: number): Promise<ProbeResult> => {
  const startedAt = Date.now();
  const deadline = startedAt + PROBE_TIMEOUT_MS;
  const clients = (['female', 'male'] as const).map((gender, index) => {
    const user = new SimulatedUser(origin);
    return { gender, user, chat: new ChatBehaviour(user, createSeededRandom(seed + index)) };
  });
  const haveExchanged = await Promise.all(
    clients.map(async ({ gender, user, chat }) => {
      if (!(await user.createAccount(gender, deadline))) return false;
      user.connect();
      return exchangeMessages(user, chat, deadline);
    }),
  );
  const tookMs = haveExchanged.every(Boolean) ? Date.now() - startedAt : undefined;
  await Promise.all(
    clients.map(async ({ user, chat }) => {
      // A user without an account has no recorder.
      if (user.recorder) await chat.skip();
      user.isStopping = true;
      user.disconnect();
    }),
  );
  return { tookMs, logs: clients.flatMap(({ user: { recorder } }) => (recorder ? [recorder.log] : [])) };
};

/** @returns whether a message was acknowledged and a message of the partner was received before `deadline` */
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
    const resendAt = Date.now() + RESEND_AFTER_MS;
    for (; Date.now() < resendAt && chat.isChatting; await sleep(MESSAGE_POLL_MS)) {
      // `messages` contains only those of the current chat.
      if (user.recorder.messages.some(({ senderId }) => senderId !== user.id)) return true;
    }
  }
  return false;
};
