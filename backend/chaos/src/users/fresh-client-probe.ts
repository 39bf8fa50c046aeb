import { setTimeout as sleep } from 'node:timers/promises';
import type { Gender } from '@thaw/contract/scalars';
import type { UserLog } from '../check/user-log';
import { createSeededRandom } from '../random';
import { ChatBehaviour } from './chat-behaviour';
import { SimulatedUser } from './simulated-user';

const PROBE_TIMEOUT_MS = 40_000;
/** A client that finds no chat within this time presses Reconnect, in case its connection has given up. */
const RECONNECT_AFTER_MS = 5_000;
/** After this time without a message from the partner, the client sends another message. */
const RESEND_AFTER_MS = 3_000;
const MESSAGE_POLL_MS = 20;

/** Result of a probe with fresh clients. */
export interface ProbeResult {
  /** Time until both fresh clients had exchanged messages; undefined when that did not happen in time. */
  tookMs: number | undefined;
  /** What the clients received, for the checks at the end of the run. */
  logs: UserLog[];
}

interface FreshClient {
  gender: Gender;
  user: SimulatedUser;
  chat: ChatBehaviour;
}

/**
 * Checks that the service works, as new visitors see it: two visitors join, are matched with each other or with other
 * users, send a message and receive one. Then they leave.
 */
export const probeWithFreshClients = async (origin: string, seed: number): Promise<ProbeResult> => {
  const startedAt = Date.now();
  const deadline = startedAt + PROBE_TIMEOUT_MS;
  const clients = (['female', 'male'] as const).map((gender, index): FreshClient => {
    const user = new SimulatedUser(origin);
    return { gender, user, chat: new ChatBehaviour(user, createSeededRandom(seed + index)) };
  });
  const haveExchanged = await Promise.all(clients.map((client) => joinAndExchange(client, deadline)));
  const tookMs = haveExchanged.every(Boolean) ? Date.now() - startedAt : undefined;
  await Promise.all(clients.map(leave));
  // A user without an account has no recorder.
  return { tookMs, logs: clients.flatMap(({ user: { recorder } }) => (recorder ? [recorder.log] : [])) };
};

/** @returns whether the client joined and exchanged messages before `deadline` */
const joinAndExchange = async ({ gender, user, chat }: FreshClient, deadline: number): Promise<boolean> => {
  if (!(await user.createAccount(gender, deadline))) return false;
  user.connect();
  return exchangeMessages(user, chat, deadline);
};

const leave = async ({ user, chat }: FreshClient): Promise<void> => {
  const hasAccount = user.recorder !== undefined;
  if (hasAccount) await chat.skip();
  user.isStopping = true;
  user.disconnect();
};

/** @returns whether a message was acknowledged and a message of the partner was received before `deadline` */
const exchangeMessages = async (
  user: SimulatedUser,
  chat: ChatBehaviour,
  deadline: number,
): Promise<boolean> => {
  while (Date.now() < deadline) {
    const searchMs = Math.min(RECONNECT_AFTER_MS, deadline - Date.now());
    const isInChat = chat.isChatting || (await chat.search(searchMs));
    if (!isInChat) {
      user.connection.pressReconnect();
      continue;
    }
    const isAcknowledged = (await chat.sendMessage()) === 'done';
    if (isAcknowledged && (await waitForMessageOfPartner(user, chat))) return true;
  }
  return false;
};

/** @returns false when the chat has ended, or no message has arrived within `RESEND_AFTER_MS` */
const waitForMessageOfPartner = async (user: SimulatedUser, chat: ChatBehaviour): Promise<boolean> => {
  const deadline = Date.now() + RESEND_AFTER_MS;
  while (Date.now() < deadline && chat.isChatting) {
    // `messages` contains only those of the current chat.
    if (user.recorder.messages.some(({ senderId }) => senderId !== user.id)) return true;
    await sleep(MESSAGE_POLL_MS);
  }
  return false;
};
