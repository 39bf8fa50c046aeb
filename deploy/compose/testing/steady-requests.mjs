import { setTimeout as sleep } from 'node:timers/promises';
import { ThawVisitor } from './thaw-client.mjs';

/**
 * Repeats a GET and, at the same time, a POST as one signed-in visitor. Every status other than 200 is a failure.
 * @param {string} origin
 * @param {{everyMs: number}} options  pause between the end of a request and the next one
 * @returns {Promise<() => Promise<{answered: number, slowestMs: number, failures: string[]}>>} a function that stops
 * the requests and resolves with the outcome; `answered` counts the successes
 */
export async function startSteadyRequests(origin, { everyMs }) {
  const visitor = await new ThawVisitor([origin]).joinAnonymously();
  const outcome = { answered: 0, slowestMs: 0, failures: [] };
  let isStopped = false;

  const repeat = async (method, path, body) => {
    while (!isStopped) {
      const startedAt = Date.now();
      const failure = await visitor
        .call(method, path, body)
        .then(describeFailure)
        .catch((error) => error.message);
      outcome.slowestMs = Math.max(outcome.slowestMs, Date.now() - startedAt);
      if (failure === null) outcome.answered += 1;
      else outcome.failures.push(`${method} ${path}: ${failure}`);
      await sleep(everyMs);
    }
  };
  const bothEnded = Promise.all([
    repeat('GET', `/api/user/${visitor.user.id}`),
    // Idempotent: with a valid session the server returns the same user.
    repeat('POST', '/api/anonymous', {}),
  ]);
  return async () => {
    isStopped = true;
    await bothEnded;
    return outcome;
  };
}

/**
 * Describes a failed response by its status, its error code and its sender: only replicas send the header x-request-id.
 * @returns null for a success
 */
function describeFailure({ status, body, headers }) {
  if (status === 200) return null;
  return `${status} ${body.code} from ${headers.has('x-request-id') ? 'a replica' : 'nginx'}`;
}
