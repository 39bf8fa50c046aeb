// Users join the queue, each time with a random preference, are matched, and skip immediately. Checks the joins per
// second and the waiting times.
// Settings: PEOPLE (60), RATE (20 joins per second of all users together), RAMP (10s), DURATION (1m).
// Run the server with REMATCH_COOLDOWN_S=0: otherwise users run out of partners whom they have not met yet.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { createAccount } from './lib/account.ts';
import { waitForArrival, createFinishThreshold, createPeopleScenario } from './lib/chat-scenario.ts';
import { Conversation, findChat, chooseGender, pick } from './lib/conversation.ts';
import { LiveUser, wait } from './lib/live-user.ts';
import { commonThresholds, initializeCounters } from './lib/metrics.ts';
import { readCount, readDuration } from './lib/settings.ts';

const people = readCount('PEOPLE', 60);
const rate = readCount('RATE', 20);
const rampMs = readDuration('RAMP', '10s');
const durationMs = readDuration('DURATION', '1m');
/** A quarter of the joins asks for each gender and half for both, so that every join finds a partner. */
const preferences = /** @type {const} */ (['both', 'both', 'male', 'female']);
const MATCH_WITHIN_MS = 30_000;
/** How long to wait until the partner skips. */
const SKIP_WITHIN_MS = 2_000;

const joins = new Counter('thaw_joins');
const unmatched = new Counter('thaw_unmatched');

export const options = {
  scenarios: createPeopleScenario(people, rampMs + durationMs),
  thresholds: {
    ...commonThresholds,
    ...createFinishThreshold(people),
    // Half: k6 divides by the time of the whole run, and a user whose match takes long joins less often.
    thaw_joins: [`rate>=${rate * 0.5}`],
    thaw_unmatched: ['count==0'],
    // A preference makes the wait longer, but not by much.
    'thaw_time_to_match{preference:both}': ['p(95)<5000'],
    'thaw_time_to_match{preference:male}': ['p(95)<8000'],
    'thaw_time_to_match{preference:female}': ['p(95)<8000'],
  },
};

export default async () => {
  initializeCounters();
  unmatched.add(0); // see `initializeCounters`
  const endsAt = exec.scenario.startTime + rampMs + durationMs;
  await waitForArrival(people, rampMs);
  const user = new LiveUser(createAccount(chooseGender(exec.vu.idInTest)));
  const conversation = new Conversation(user);
  if ((await user.connect()) === undefined) throw new Error('The socket could not be opened');
  const joinEveryMs = (people / rate) * 1_000;
  while (Date.now() < endsAt) {
    const startedAt = Date.now();
    joins.add(1);
    const chat = await findChat(user, Math.min(MATCH_WITHIN_MS, endsAt - Date.now()), pick(preferences));
    // The last wait, which the end of the run shortens, may remain without a match.
    if (!chat && Date.now() - startedAt >= MATCH_WITHIN_MS) unmatched.add(1);
    if (chat) {
      // Only one of the two users skips, so that the frame `chat_skipped` to the other is tested too.
      const isSkipper = user.id < chat.partnerId;
      if (!isSkipper) await user.waitFor('chat_skipped', SKIP_WITHIN_MS);
      // Here, the other user still has the chat only if the frame did not arrive in time.
      await conversation.skip();
    }
    await wait(startedAt + joinEveryMs - Date.now());
  }
  await user.request('leave_queue', {});
  await conversation.skip();
  user.leave();
};
