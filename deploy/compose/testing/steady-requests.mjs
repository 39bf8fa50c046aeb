import { setTimeout as sleep } from 'node:timers/promises';
import { ThawVisitor } from './thaw-client.mjs';

/**
 * Somebody who asks, by GET and by POST, again and again, and tolerates nothing but a 200.
 * @returns a function that ends it and tells how it went
 */
export async function steadyRequests(origin, { everyMs }) {
  const visitor = await new ThawVisitor([origin]).joinAnonymously();
  const outcome = { answered: 0, slowestMs: 0, failures: [] };
  let isOver = false;

  const repeat = async (method, path, body) => {
    while (!isOver) {
      const askedAt = Date.now();
      const answer = await visitor
        .call(method, path, body)
        .then(({ status, body: { code }, headers }) =>
          status === 200
            ? status
            : `${status} ${code} of ${headers.has('x-request-id') ? 'a replica' : 'nginx'}`,
        )
        .catch((error) => error.message);
      outcome.slowestMs = Math.max(outcome.slowestMs, Date.now() - askedAt);
      if (answer === 200) outcome.answered += 1;
      else outcome.failures.push(`${method} ${path}: ${answer}`);
      await sleep(everyMs);
    }
  };
  const all = Promise.all([
    repeat('GET', `/api/user/${visitor.user.id}`),
    // With a valid session it answers with the same user.
    repeat('POST', '/api/anonymous', {}),
  ]);
  return async () => {
    isOver = true;
    await all;
    return outcome;
  };
}
