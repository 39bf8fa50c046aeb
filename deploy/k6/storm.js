// A reconnect storm: all users lose their sockets simultaneously and return, as after a failure of the network.
// Settings, with defaults: PEOPLE (500), RAMP (30s, in which the users arrive), ROUNDS (3 storms, one every 20 s).
import exec from 'k6/execution';
import { createAccount } from './lib/account.ts';
import { waitForArrival, createFinishThreshold, createPeopleScenario } from './lib/chat-scenario.ts';
import { Conversation, findChat, chooseGender } from './lib/conversation.ts';
import { LiveUser, wait } from './lib/live-user.ts';
import { commonThresholds, initializeCounters } from './lib/metrics.ts';
import { readCount, readDuration } from './lib/settings.ts';

const people = readCount('PEOPLE', 500);
const rounds = readCount('ROUNDS', 3);
const rampMs = readDuration('RAMP', '30s');
/** Time from the last arrival to the first storm. Until then, users wait for a chat, and talk. */
const SETTLE_MS = 15_000;
/** Time between two storms, in which the users return and talk. */
const ROUND_MS = 20_000;

export const options = {
  scenarios: createPeopleScenario(people, rampMs + SETTLE_MS + rounds * ROUND_MS),
  thresholds: { ...commonThresholds, ...createFinishThreshold(people), thaw_resume: ['p(95)<5000'] },
};

export default async () => {
  initializeCounters();
  const stormsBeginAt = exec.scenario.startTime + rampMs + SETTLE_MS;
  await waitForArrival(people, rampMs);
  const user = new LiveUser(createAccount(chooseGender(exec.vu.idInTest)));
  const conversation = new Conversation(user);
  if ((await user.connect()) === undefined) throw new Error('The socket could not be opened');
  await findChat(user, stormsBeginAt - Date.now());
  await conversation.talk(stormsBeginAt);
  for (let round = 0; round < rounds; round += 1) {
    const stormAt = stormsBeginAt + round * ROUND_MS;
    await wait(stormAt - Date.now());
    user.dropSocket();
    if (!(await user.reconnect())) throw new Error('The user could not return');
    await conversation.talk(stormAt + ROUND_MS);
  }
  await conversation.skip();
  user.leave();
};
