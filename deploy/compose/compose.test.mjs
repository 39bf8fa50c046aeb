import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBadUpgradeRequests } from './testing/bad-upgrade-requests.mjs';
import { ComposeStack, provideServiceImage, explainMissingEngine } from './testing/compose-stack.mjs';
import { assertNoWordsAfterDeletion } from './testing/deleted-user.mjs';
import { startSteadyRequests } from './testing/steady-requests.mjs';
import { ThawVisitor } from './testing/thaw-client.mjs';
// Compiled by `npm run build` to CommonJS, hence the default import.
import chatUserDriver from '../../backend/dist/testing/chat-user.driver.js';

const { startSending, createMatchedPairs } = chatUserDriver;

// Everything is real: the images are built, and docker-compose.yml runs as a compose project of its own.

const PAIRS = 20;
const MINUTE_MS = 60_000;
/** Close code of the sockets of a replica that stops. */
const SERVICE_RESTART = 1012;
/** Fewer requests prove little. At one per 20 ms, 750 fit into 15 s, but a slow machine sends fewer. */
const MIN_STEADY_REQUESTS = 200;
/** A picture of one pixel, in base64. */
const DOT_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A warning of Redis about a setting of the host. Containers cannot change the setting (docs/operations.md). */
const HOST_WARNING = /Memory overcommit must be enabled/;

const skip = explainMissingEngine();
/** Uploads are stored in the service `storage` (S3) if its container image is available, otherwise in a volume. */
const hasStorage = !skip && provideServiceImage('storage');
if (skip) console.error(`\nSKIPPED: the tests of docker compose did not run, because ${skip}.\n`);

suite('docker compose', { skip }, () => {
  const stack = new ComposeStack('thaw-test');

  before(() => stack.start({ replicas: 2, profiles: hasStorage ? ['storage'] : [] }), {
    timeout: 15 * MINUTE_MS,
  });
  after(async () => {
    fs.mkdirSync('test-results', { recursive: true });
    fs.writeFileSync('test-results/compose.log', await stack.readLogs('--timestamps'));
    await stack.stop();
  });

  test('the services start without a warning in their logs', async () => {
    const lines = (await stack.readLogs()).split('\n');
    assert.deepEqual(
      lines.filter((line) => /warn|error|fatal/i.test(line) && !HOST_WARNING.test(line)),
      [],
    );
  });

  test('the published port serves the page and the API, and no internal endpoint', async () => {
    const page = await fetch(`${stack.origin}/`);
    assert.equal(page.status, 200);
    assert.match(
      page.headers.get('content-security-policy'),
      /^default-src 'none'; .*frame-ancestors 'none'$/,
    );
    assert.equal(page.headers.get('server'), 'nginx');
    assert.match(await page.text(), /<title>/);

    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(`${stack.origin}/chat`)).text())[1];
    const { headers } = await fetch(stack.origin + script);
    assert.match(headers.get('content-type'), /^text\/javascript/);
    assert.match(headers.get('cache-control'), /immutable/);

    for (const [path, status] of [
      ['/api/user/1', 401],
      ['/api/docs', 404],
      ['/metrics', 404],
      ['/health/ready', 404],
      ['/.vite/manifest.json', 404],
    ]) {
      assert.equal((await fetch(stack.origin + path)).status, status, path);
    }

    // nginx accepts bodies of up to 6 MiB, and refuses larger ones in the form of an error of the API.
    const body = new Uint8Array(6 * 1024 * 1024 + 1);
    const response = await fetch(`${stack.origin}/api/upload`, { method: 'POST', body });
    assert.equal(response.status, 413);
    assert.deepEqual(Object.keys(await response.json()), ['statusCode', 'code', 'message']);
  });

  test('the command that appoints moderators runs with the paths dist/ and backend/dist/', async () => {
    // docs/operations.md names both paths: dist/ with compose, backend/dist/ without it. In the image, the first is a
    // link to the second.
    for (const main of ['dist/main.moderators.js', 'backend/dist/main.moderators.js'])
      assert.match(await stack.runCompose('run', '--rm', 'backend', 'node', main, 'list'), /no moderators/);
  });

  test('containers run unprivileged, read-only and without secrets in their environment, and only nginx has a port', async () => {
    const publishedServices = [];
    const services = ['frontend', 'backend', 'worker', 'postgres', 'redis'];
    if (hasStorage) services.push('storage');
    for (const service of services) {
      for (const container of await stack.listContainers(service)) {
        const { Config, HostConfig, NetworkSettings } = await stack.inspect(container);
        assert.match(Config.User, /^(?!root$|0$)./, `${service} runs as a user other than root`);
        assert.ok(HostConfig.ReadonlyRootfs, `${service} is read-only`);
        assert.deepEqual(HostConfig.CapDrop, ['ALL']);
        assert.deepEqual(HostConfig.CapAdd ?? [], []);
        assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true']);
        assert.ok(HostConfig.Memory > 0);
        // `stop_grace_period` of docker-compose.yml, in seconds.
        assert.equal(Config.StopTimeout, 30);
        const secrets = Config.Env.filter((entry) => /(password|secret)=.|:\/\/[^/]+@/i.test(entry));
        assert.deepEqual(secrets, [], `${service} has no secret in its environment`);
        if (Object.values(NetworkSettings.Ports).some((ports) => ports?.length > 0))
          publishedServices.push(service);
      }
    }
    assert.deepEqual(publishedServices, ['frontend']);
  });

  test('PostgreSQL and Redis refuse clients without the password', async () => {
    // In Redis, a client without a password is the user `default`, who may only send PING.
    const redisOutput = await stack.runCompose('exec', '-T', 'redis', 'redis-cli', 'keys', '*');
    assert.match(redisOutput, /NOPERM/);
    await assert.rejects(
      stack.runCompose('exec', '-T', 'postgres', 'psql', '--no-password', '-U', 'thaw', '-c', 'select 1'),
      /password/,
    );
  });

  test('the database role of the service is no superuser, owns no table and cannot change the event log', async () => {
    assert.equal(await stack.runQuery(`select rolsuper from pg_roles where rolname = 'thaw'`), 'f');
    assert.equal(await stack.runQuery(`select count(*) from pg_class where relowner = 'thaw'::regrole`), '0');
    for (const privilege of ['UPDATE', 'DELETE', 'TRUNCATE']) {
      assert.equal(
        await stack.runQuery(`select has_table_privilege('thaw', 'events', '${privilege}')`),
        'f',
        privilege,
      );
    }
  });

  test('an uploaded image is served by every replica', async (t) => {
    if (!hasStorage) t.diagnostic('stored in the volume, because the image of the storage is not available');
    const visitor = await new ThawVisitor([stack.origin]).joinAnonymously();
    const form = new FormData();
    form.set('bucket', 'avatars');
    form.set('fileName', 'dot.png');
    form.set('file', new Blob([Buffer.from(DOT_PNG, 'base64')], { type: 'image/png' }), 'dot.png');
    const headers = { cookie: visitor.cookie };
    const uploaded = await fetch(`${stack.origin}/api/upload`, { method: 'POST', body: form, headers });
    assert.equal(uploaded.status, 201, await uploaded.clone().text());
    const { url } = await uploaded.json();
    // nginx distributes the requests over both replicas.
    for (let count = 0; count < 4; count += 1) {
      const response = await fetch(stack.origin + url, { headers });
      assert.equal(response.status, 200);
      assert.ok((await response.arrayBuffer()).byteLength > 0);
    }
    const [replica] = await stack.listContainers('backend');
    const filesInVolume = await stack.execute('docker', ['exec', replica, 'find', '/files', '-type', 'f']);
    const isInVolume = filesInVolume.trim() !== '';
    assert.equal(isInVolume, !hasStorage, 'the image is in the volume only without the S3 storage');
  });

  test('two users on different replicas chat with each other', async () => {
    // nginx routes each socket to the replica with the fewest connections.
    const [[ada, bob]] = await createMatchedPairs(stack.origin, 1);
    const socketCounts = await Promise.all(
      (await stack.listContainers('backend')).map((replica) => stack.readMetric(replica, 'thaw_sockets')),
    );
    assert.deepEqual(socketCounts, [1, 1]);

    await ada.send('Hello');
    await bob.send('Hello you');
    await assertSameChat([ada, bob]);
    assert.deepEqual(
      [...ada.history.values()].map(({ content }) => content),
      ['Hello', 'Hello you'],
    );
    await Promise.all([ada.leave(), bob.leave()]);
  });

  test('a dump of the database contains no text of a deleted user', { timeout: 3 * MINUTE_MS }, () =>
    assertNoWordsAfterDeletion(stack.origin, () => stack.dumpDatabase()),
  );

  test('10 bad upgrade requests per second cause no error for other clients', async (t) => {
    const stopRequests = await startSteadyRequests(stack.origin, { everyMs: 20 });
    const stopAttack = startBadUpgradeRequests(stack.origin, { perSecond: 10 });
    // Time for about 150 bad requests.
    await sleep(15_000);
    const statuses = await stopAttack();
    const { answered, slowestMs, failures } = await stopRequests();
    assert.ok(statuses.length >= 100, `only ${statuses.length} bad requests`);
    assert.deepEqual(
      statuses.filter((status) => !(status >= 400 && status < 500)),
      [],
    );
    assert.deepEqual(failures, []);
    assert.ok(answered > MIN_STEADY_REQUESTS, `only ${answered} requests`);
    t.diagnostic(`${statuses.length} bad requests, ${answered} others, the slowest took ${slowestMs} ms`);
  });

  test(
    'a new replica serves within 10 s on a machine that is not busy',
    { timeout: 3 * MINUTE_MS },
    async (t) => {
      const limitMs = 10_000 * estimateSlowdown();
      const earlierReplicas = await stack.listContainers('backend');
      const visitor = await new ThawVisitor([stack.origin]).joinAnonymously();
      const scaledAt = Date.now();
      await stack.scale(3);
      const [newReplica] = (await stack.listContainers('backend')).filter(
        (replica) => !earlierReplicas.includes(replica),
      );
      // Opens sockets until nginx has found the address of the new replica. The next one is then routed to it, because
      // it has the fewest connections.
      const sockets = [];
      while (!(await stack.readMetric(newReplica, 'thaw_sockets'))) {
        assert.ok(Date.now() - scaledAt < limitMs, `the new replica received no socket in ${limitMs} ms`);
        sockets.push(await visitor.connect());
      }
      t.diagnostic(`served after ${Date.now() - scaledAt} ms`);
      await Promise.all(sockets.map((socket) => socket.leave()));
      await stack.scaleAndWait(2); // as before this test
    },
  );

  test(
    `${PAIRS} chats lose no message while 2 replicas are scaled to 4 and then to 1`,
    { timeout: 10 * MINUTE_MS },
    async (t) => {
      const pairs = await createMatchedPairs(stack.origin, PAIRS);
      const stopSending = startSending(pairs, { everyMs: 500 });
      // The users chat for some seconds before each change of the number of replicas, and after the last one.
      await sleep(2_000);
      await stack.scaleAndWait(4);
      await sleep(5_000);
      await stack.scaleAndWait(1);
      await sleep(5_000);
      await stopSending();

      const users = pairs.flat();
      for (const pair of pairs) await assertSameChat(pair);
      const closeCodes = users.flatMap((user) => user.closeCodes);
      assert.ok(closeCodes.length > 0, 'no socket was on a replica that stopped');
      assert.deepEqual([...new Set(closeCodes)], [SERVICE_RESTART]);
      await assertPersisted(stack, pairs);
      printDelivery(t, users);
      await Promise.all(users.map((user) => user.leave()));
      await stack.scaleAndWait(2); // as before this test
    },
  );

  test(
    'in a rolling restart no request fails and no message is lost',
    { timeout: 10 * MINUTE_MS },
    async (t) => {
      const services = ['worker', 'backend'];
      const listAllContainers = async () =>
        Promise.all(services.map((service) => stack.listContainers(service)));
      const earlierContainers = await listAllContainers();
      const pairs = await createMatchedPairs(stack.origin, PAIRS);
      const stopSending = startSending(pairs, { everyMs: 500 });
      const stopRequests = await startSteadyRequests(stack.origin, { everyMs: 20 });
      // Users and requests are active for some seconds before and after the restart.
      await sleep(2_000);
      await stack.roll();
      await sleep(3_000);
      const { answered, slowestMs, failures } = await stopRequests();
      await stopSending();

      assertAllReplaced(earlierContainers, await listAllContainers());
      assert.deepEqual(failures, []);
      assert.ok(answered > MIN_STEADY_REQUESTS, `only ${answered} requests`);
      const users = pairs.flat();
      for (const pair of pairs) await assertSameChat(pair);
      for (const { closeCodes } of users) {
        assert.ok(closeCodes.length > 0, 'a socket was not closed');
        assert.deepEqual([...new Set(closeCodes)], [SERVICE_RESTART]);
      }
      await assertPersisted(stack, pairs);
      t.diagnostic(`${answered} requests, the slowest took ${slowestMs} ms`);
      printDelivery(t, users);
      await Promise.all(users.map((user) => user.leave()));
    },
  );

  test(
    'no acknowledged message is lost when Redis is drained and emptied, as for a release that changes its layout',
    { timeout: 10 * MINUTE_MS },
    async () => {
      const pairs = await createMatchedPairs(stack.origin, PAIRS);
      for (const [first, second] of pairs) {
        await first.send('Hello');
        await second.send('Hello you');
        await assertSameChat([first, second]);
        // The drain ends all random chats, so the users cannot resume theirs.
        first.stopReconnecting();
        second.stopReconnecting();
      }
      await stack.drainAndStart();
      await assertPersisted(stack, pairs);
      for (const [{ sessionId }] of pairs) {
        const sql = `select count(*) from events where type = 'ChatEnded' and stream_id = 'chat-${sessionId}'`;
        assert.equal(await stack.runQuery(sql), '1');
      }

      const [[ada, bob]] = await createMatchedPairs(stack.origin, 1);
      await ada.send('Hello again');
      await bob.send('And again');
      await assertSameChat([ada, bob]);
      await Promise.all([ada.leave(), bob.leave()]);
    },
  );
});

/** Estimates the factor by which work takes longer on a busy machine: the load per processor, at least 1. */
function estimateSlowdown() {
  return Math.max(1, os.loadavg()[0] / os.availableParallelism());
}

/** Asserts that each service has as many containers as before, and that all are new. Takes one list per service. */
function assertAllReplaced(earlierContainers, newContainers) {
  assert.deepEqual(
    newContainers.map(({ length }) => length),
    earlierContainers.map(({ length }) => length),
  );
  const earlierIds = earlierContainers.flat();
  const keptIds = newContainers.flat().filter((id) => earlierIds.includes(id));
  assert.deepEqual(keptIds, []);
}

/** Asserts that every acknowledged message arrived once and in order, and that both users see the same chat. */
async function assertSameChat([first, second]) {
  const deadline = Date.now() + 10_000;
  while (first.seq !== second.seq && Date.now() < deadline) await sleep(50);

  for (const user of [first, second]) assert.deepEqual(user.violations, []);
  assert.deepEqual([...first.history], [...second.history]);
  for (const user of [first, second]) {
    const ownMessages = [...first.history].filter(([, { senderId }]) => senderId === user.id);
    assert.deepEqual(
      ownMessages.map(([seq, { content }]) => [content, seq]),
      [...user.acked], // pairs of content and `seq`
    );
    assert.ok(ownMessages.length > 0);
  }
}

/** Asserts that PostgreSQL holds each acknowledged message once, after the worker has caught up. */
async function assertPersisted(stack, pairs) {
  const expected = countAcknowledged(pairs.flat());
  const streams = pairs.map(([{ sessionId }]) => `'chat-${sessionId}'`).join(', ');
  const sql = `select count(*) from events where type = 'MessageSent' and stream_id in (${streams})`;
  const countPersisted = async () => Number(await stack.runQuery(sql));
  const deadline = Date.now() + 15_000;
  while ((await countPersisted()) < expected && Date.now() < deadline) await sleep(500);
  assert.equal(await countPersisted(), expected);
}

function countAcknowledged(users) {
  return users.reduce((sum, { acked }) => sum + acked.size, 0);
}

/** Adds to the test's output how many messages the users sent, and how long they were without a socket. */
function printDelivery(t, users) {
  const absencesMs = users.flatMap((user) => user.absencesMs).sort((a, b) => a - b);
  const medianMs = absencesMs[Math.floor(absencesMs.length / 2)];
  t.diagnostic(
    `${countAcknowledged(users)} messages, ${absencesMs.length} sockets replaced,` +
      ` back after ${medianMs} ms (median), ${absencesMs.at(-1)} ms (longest)`,
  );
}
