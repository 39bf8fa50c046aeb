import exec from 'k6/execution';
import type { Options } from 'k6/options';
import { createAccount } from './account.ts';
import { Conversation, findChat, chooseGender } from './conversation.ts';
import { LiveUser, wait } from './live-user.ts';
import { commonThresholds, initializeCounters } from './metrics.ts';
import { readCount, readDuration } from './settings.ts';

/** Maximum duration of one search. A user without a match then starts another one. */
const MAX_SEARCH_MS = 30_000;
/** Time after the end of the load in which the last responses may arrive. */
const WIND_DOWN_MS = 60_000;

export interface ChatLoad {
  /** Number of users, each of whom is a virtual user of k6. */
  people: number;
  /** Time over which the users arrive. */
  rampMs: number;
  /** Time for which the users stay after the last one has arrived. */
  durationMs: number;
  /** Duration of one chat. */
  chatMs: number;
}

/** Reads the environment variables PEOPLE, RAMP, DURATION and CHAT. @param defaults used for those that are not set */
export const readChatLoad = (defaults: {
  people: number;
  ramp: string;
  duration: string;
  chat: string;
}): ChatLoad => ({
  people: readCount('PEOPLE', defaults.people),
  rampMs: readDuration('RAMP', defaults.ramp),
  durationMs: readDuration('DURATION', defaults.duration),
  chatMs: readDuration('CHAT', defaults.chat),
});

/**
 * Each user has a single iteration for the whole test, because k6 closes the sockets of an iteration when it ends.
 */
export const createPeopleScenario = (people: number, lengthMs: number): Options['scenarios'] => ({
  people: {
    executor: 'per-vu-iterations',
    vus: people,
    iterations: 1,
    maxDuration: `${Math.ceil((lengthMs + WIND_DOWN_MS) / 1_000)}s`,
  },
});

/** Creates a threshold that fails the test unless every user completes the iteration. */
export const createFinishThreshold = (people: number): Record<string, string[]> => ({
  iterations: [`count==${people}`],
});

export const createChatOptions = ({ people, rampMs, durationMs }: ChatLoad): Options => ({
  scenarios: createPeopleScenario(people, rampMs + durationMs),
  thresholds: {
    ...commonThresholds,
    ...createFinishThreshold(people),
    thaw_round_trip: ['p(95)<250'],
    thaw_delivery: ['p(95)<250'],
    thaw_time_to_match: ['p(95)<5000'],
  },
});

/** Waits until this user may arrive, so that the arrivals are evenly distributed over `rampMs`. */
export const waitForArrival = (people: number, rampMs: number): Promise<void> =>
  wait((rampMs * (exec.vu.idInTest - 1)) / people);

/** One user: signs in, then repeatedly finds a chat, talks and skips until the end of the test. */
export const runPerson = async ({ people, rampMs, durationMs, chatMs }: ChatLoad): Promise<void> => {
  initializeCounters();
  const endsAt = exec.scenario.startTime + rampMs + durationMs;
  await waitForArrival(people, rampMs);
  const user = new LiveUser(createAccount(chooseGender(exec.vu.idInTest)));
  const conversation = new Conversation(user);
  const isConnected = (await user.connect()) !== undefined;
  if (!isConnected) throw new Error('The socket could not be opened');
  while (Date.now() < endsAt) {
    const chat = await findChat(user, Math.min(MAX_SEARCH_MS, endsAt - Date.now()));
    if (!chat) continue;
    await conversation.talk(Math.min(endsAt, Date.now() + chatMs));
    await conversation.skip();
  }
  await user.request('leave_queue', {});
  // Skips the chat of a user who was matched before the server removed them from the queue.
  await conversation.skip();
  user.leave();
};
