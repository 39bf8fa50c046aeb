import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestHome } from '../testing/launcher.mjs';
import { standIns } from '../testing/stand-ins.mjs';
import { startStack } from '../thaw-stack.mjs';

// Runs the real nginx with the product's configuration, in front of stand-ins for two api replicas and a built page.
// The limits that the tests expect are in deploy/nginx/http.conf and deploy/nginx/server.conf.

/** The stand-ins do not connect to the stores. */
const unusedStores = { databaseUrl: 'postgres://127.0.0.1/none', redisUrl: 'redis://127.0.0.1' };
/** Length of the response of a stand-in to /api/stream. */
const STREAM_MB = 64;
const websocketUpgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };

const pageFiles = {
  'index.html': '<title>application</title>',
  'landing.html': '<title>landing</title>',
  'terms.html': '<title>terms</title>',
  'chat.html': '<title>chat</title>',
  'theme.js': 'theme()',
  '.vite/manifest.json': '{}',
  'assets/main-1a2b.js': 'main()',
  'assets/figtree-3c4d.woff2': 'font',
};

test('nginx serves the page and proxies the API and sockets', async (t) => {
  const home = createTestHome(t);
  const page = path.join(home, 'page');
  for (const [name, text] of Object.entries(pageFiles)) {
    fs.mkdirSync(path.dirname(path.join(page, name)), { recursive: true });
    fs.writeFileSync(path.join(page, name), text);
  }
  // Without LIMITS_PROFILE, a local stack has the profile `load`, in which nginx does not limit requests.
  const stack = await startStack({ home, page, stores: unusedStores, replicas: 2, programs: standIns });
  t.after(() => stack.stop());
  const get = (address, headers) => sendGet(stack.ports.page, address, headers);

  await t.test('each route of the application returns its document', async () => {
    for (const [address, title] of [
      ['/', 'landing'],
      ['/terms', 'terms'],
      ['/terms/', 'terms'],
      ['/chat', 'chat'],
      ['/chat/', 'chat'],
      // The other routes have no separate documents in `pageFiles`.
      ['/privacy', 'application'],
      ['/auth', 'application'],
      ['/rules', 'application'],
      ['/moderation', 'application'],
      ['/moderation/', 'application'],
      ['/receipt?id=abc', 'application'],
      ['/auth?next=/chat', 'application'],
    ]) {
      const { status, body, headers } = await get(address);
      assert.equal(status, 200, address);
      assert.match(body, new RegExp(title));
      assert.match(headers['content-type'], /^text\/html/);
      assert.equal(headers['cache-control'], 'no-cache');
    }
  });

  await t.test('any other path returns the application with status 404', async () => {
    for (const address of [
      '/nowhere',
      '/chat/deeper',
      '/assets/none.js',
      // Part of the build, but not of the page.
      '/.vite/manifest.json',
      // Replicas serve these on their internal ports only.
      '/metrics',
      '/health/ready',
    ]) {
      const { status, body, headers } = await get(address);
      assert.equal(status, 404, address);
      assert.match(body, /application/);
      assert.equal(headers['cache-control'], 'no-cache', address);
    }
  });

  await t.test('files have their content types, and hashed files are cached as immutable', async () => {
    const script = await get('/assets/main-1a2b.js');
    assert.match(script.headers['content-type'], /^text\/javascript/);
    assert.match(script.headers['cache-control'], /immutable/);
    assert.equal((await get('/assets/figtree-3c4d.woff2')).headers['content-type'], 'font/woff2');
    assert.equal((await get('/theme.js')).headers['cache-control'], 'no-cache');
  });

  await t.test('every response of nginx itself has the security headers', async () => {
    for (const address of ['/', '/chat', '/nowhere', '/theme.js', '/assets/main-1a2b.js']) {
      const { headers } = await get(address);
      assert.match(
        headers['content-security-policy'],
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
      );
      assert.ok(headers['content-security-policy'].includes(`ws://localhost:${stack.ports.page} `));
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.match(headers['permissions-policy'], /camera=\(\), microphone=\(\), geolocation=\(\)/);
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers.server, 'nginx');
    }
    // A client cannot add a directive to the policy with the header Host.
    const { headers } = await get('/', { Host: 'a;script-src' });
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /a;script-src/);
  });

  await t.test(
    'requests reach both replicas with the original URL, and with the headers that nginx sets',
    async () => {
      // A stand-in answers any path under /api with the request that it received. Each of the two workers of nginx
      // alternates between the replicas, so six requests reach both.
      const received = [];
      for (let index = 0; index < 6; index += 1) received.push(JSON.parse((await get('/api/who?x=1')).body));
      assert.equal(new Set(received.map(({ pid }) => pid)).size, 2);
      assert.equal(received[0].url, '/api/who?x=1');
      const { headers } = JSON.parse((await get('/api/who', { 'X-Forwarded-For': '9.9.9.9' })).body);
      assert.equal(headers['x-forwarded-for'], '127.0.0.1');
      assert.equal(headers['x-forwarded-proto'], 'http');
      assert.equal(headers.host, `localhost:${stack.ports.page}`);
    },
  );

  await t.test('a long response is not buffered for a client that does not read it yet', async () => {
    const [response] = await once(
      http.get({ host: '127.0.0.1', port: stack.ports.page, path: '/api/stream', agent: false }),
      'response',
    );
    /** Reads how many MB a replica has written; the replica that does not stream has written none. */
    const readStreamedMb = async () => {
      const responses = await Promise.all(stack.ports.replicas.map((port) => sendGet(port, '/api/who')));
      return Math.max(...responses.map(({ body }) => JSON.parse(body).streamedMb));
    };
    // Wait until the replica has begun to write and then has written nothing for 100 ms.
    let streamedMb;
    do {
      streamedMb = await readStreamedMb();
      await sleep(100);
    } while ((await readStreamedMb()) !== streamedMb || streamedMb === 0);
    // nginx stops reading from the replica when the buffers of both connections are full. They hold a few MB, so half
    // the response is reached only if nginx buffers it.
    assert.ok(streamedMb < STREAM_MB / 2, `${streamedMb} of ${STREAM_MB} MB`);
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    assert.equal(length, STREAM_MB * 1_000_000);
  });

  await t.test('an upgrade to a WebSocket is proxied', async () => {
    assert.equal((await get('/ws', websocketUpgrade)).status, 101);
    assert.equal((await get('/ws?x=1', { ...websocketUpgrade, Upgrade: 'WebSocket' })).status, 101);
  });

  await t.test('only a WebSocket upgrade of /ws reaches a replica as an upgrade', async () => {
    // nginx proxies /api/who and /ws as ordinary requests, and a stand-in returns the headers that it received. nginx
    // itself responds to the other paths.
    for (const [address, protocol, expectedStatus] of [
      ['/api/who', 'websocket', 200],
      ['/api/who', 'h2c', 200],
      ['/ws', 'h2c', 200],
      ['/ws/', 'websocket', 404],
      ['/ws/x', 'websocket', 404],
      ['/chat', 'h2c', 200],
    ]) {
      const { status, body } = await get(address, { Connection: 'Upgrade', Upgrade: protocol });
      assert.equal(status, expectedStatus, `${protocol} at ${address}`);
      if (status === 404 || address === '/chat') continue;
      assert.equal(JSON.parse(body).headers.upgrade, undefined);
      assert.equal(JSON.parse(body).headers.connection, 'close');
    }
  });

  await t.test('2,000 sockets that reconnect simultaneously are all proxied', async () => {
    const responses = await Promise.all(Array.from({ length: 2_000 }, () => get('/ws', websocketUpgrade)));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [101]);
  });

  await t.test(
    'without a running replica the API returns 503 as JSON, and the page is still served',
    async () => {
      await Promise.all(stack.replicas.map((replica) => replica.stop()));
      const { status, body } = await get('/api/who');
      assert.equal(status, 503);
      assert.deepEqual(Object.keys(JSON.parse(body)), ['statusCode', 'code', 'message']);
      assert.equal((await get('/chat')).status, 200);
      await stack.replicas[1].start();
      assert.equal((await get('/api/who')).status, 200);
    },
  );
});

test('nginx limits the requests of one address according to LIMITS_PROFILE', async (t) => {
  /** Starts a stack. @returns a function that sends `count` concurrent requests for one path */
  const startWithProfile = async (profile) => {
    const home = createTestHome(t);
    const env = { LIMITS_PROFILE: profile };
    const options = { home, page: home, stores: unusedStores, replicas: 2, programs: standIns, env };
    const stack = await startStack(options);
    t.after(() => stack.stop());
    return (address, count, headers) =>
      Promise.all(Array.from({ length: count }, () => sendGet(stack.ports.page, address, headers)));
  };
  const listStatuses = (responses) => [...new Set(responses.map(({ status }) => status))].sort();

  await t.test(
    '200 users behind one address can reconnect simultaneously twice, and then are limited',
    async () => {
      const sendMany = await startWithProfile('default');
      assert.deepEqual(listStatuses(await sendMany('/ws', 200, websocketUpgrade)), [101]);
      assert.deepEqual(listStatuses(await sendMany('/ws', 200, websocketUpgrade)), [101]);
      // The limit is a burst of 400 handshakes. The users have used them up, and only 10 are restored in each second.
      const responses = await sendMany('/ws', 400, websocketUpgrade);
      assert.deepEqual(listStatuses(responses), [101, 429]);
      const { headers, body } = responses.find(({ status }) => status === 429);
      assert.equal(JSON.parse(body).code, 'rate_limited');
      assert.equal(headers['retry-after'], '5');
    },
  );

  await t.test(
    'sign-in routes are limited, also in other spellings of their paths, and other routes are not',
    async () => {
      const sendMany = await startWithProfile('default');
      // More than the burst of 120 sign-ins.
      for (const route of ['/api/login', '/api/LOGIN/', '/api/%6Cogin', '/api/anonymous']) {
        assert.ok(
          (await sendMany(route, 150)).some(({ status }) => status === 429),
          route,
        );
      }
      // More than the burst of 120, and fewer than the 400 requests that an address can have open.
      assert.deepEqual(listStatuses(await sendMany('/api/who', 300)), [200]);
    },
  );

  await t.test('an address can have at most 400 open requests', async () => {
    const sendMany = await startWithProfile('default');
    // The stand-in delays its response, so that all requests are open at the same time.
    const responses = await sendMany('/api/slow', 450);
    assert.equal(responses.filter(({ status }) => status === 200).length, 400);
    assert.equal(responses.filter(({ status }) => status === 429).length, 50);
  });

  await t.test(
    'LIMITS_PROFILE=strict limits sign-ins more, and LIMITS_PROFILE=load does not limit them',
    async () => {
      const sendManyStrictly = await startWithProfile('strict');
      // More than this profile's burst of 60, and less than the default profile's 120.
      assert.ok((await sendManyStrictly('/api/login', 100)).some(({ status }) => status === 429));
      const sendManyUnlimited = await startWithProfile('load');
      // More than any limit of the default profile.
      assert.deepEqual(listStatuses(await sendManyUnlimited('/api/login', 600)), [200]);
    },
  );
});

function sendGet(port, address, headers = {}) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: address, agent: false };
    const request = http.get({ ...options, headers: { Host: `localhost:${port}`, ...headers } });
    request.once('error', reject);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode, headers: response.headers });
    });
    request.once('response', (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
  });
}
