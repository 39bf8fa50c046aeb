// Runs the example tls-front.conf and Thaw's own nginx in front of stand-ins for two api replicas. tls-product.test.mjs
// runs the example with the real product.
import assert from 'node:assert/strict';
import test from 'node:test';
import { findFreePorts } from '../local/processes/ports.mjs';
import { createTestHome } from '../local/testing/launcher.mjs';
import { standIns } from '../local/testing/stand-ins.mjs';
import { startStack } from '../local/thaw-stack.mjs';
import { hasOpenssl, send, startTlsFront } from './testing/tls-front.mjs';

const skip = hasOpenssl ? false : 'no openssl was found to make a certificate with';

test('TLS in front of Thaw', { skip }, async (t) => {
  const home = createTestHome(t);
  const [tls, plain] = await findFreePorts(2);
  // The stand-ins use no stores, and no test requests a file of the page.
  const stores = { databaseUrl: 'postgres://127.0.0.1/none', redisUrl: 'redis://127.0.0.1' };
  const env = { PUBLIC_ORIGIN: `https://localhost:${tls}`, TRUSTED_PROXIES: '127.0.0.1' };
  const stack = await startStack({ home, page: home, stores, replicas: 2, programs: standIns, env });
  t.after(() => stack.stop());
  const front = await startTlsFront({ home, ports: { tls, plain, thaw: stack.ports.page } });
  t.after(() => front.stop());
  const sendWithTls = (options) => send({ port: tls, certificate: front.certificate, ...options });

  // The stand-ins respond to /api/who with the headers that they received.
  await t.test("replicas receive the client's address, and the scheme and host of the page", async () => {
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      const { status, text } = await sendWithTls({ url: '/api/who', from });
      assert.equal(status, 200);
      const { headers } = JSON.parse(text);
      assert.equal(headers['x-forwarded-for'], from);
      assert.equal(headers['x-forwarded-proto'], 'https');
      assert.equal(headers.host, `localhost:${tls}`);
    }
  });

  const forgedRequest = {
    url: '/api/who',
    from: '127.0.0.2',
    headers: { 'X-Forwarded-For': '203.0.113.7' },
  };

  await t.test('a client of the TLS proxy cannot choose its address', async () => {
    const { text } = await sendWithTls(forgedRequest);
    assert.equal(JSON.parse(text).headers['x-forwarded-for'], '127.0.0.2');
  });

  // The client's address is not one of TRUSTED_PROXIES.
  await t.test('a client that bypasses the TLS proxy cannot choose its address', async () => {
    const { text } = await send({ port: stack.ports.page, ...forgedRequest });
    assert.equal(JSON.parse(text).headers['x-forwarded-for'], '127.0.0.2');
  });

  await t.test('a WebSocket is opened through both proxies', async () => {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
    assert.equal((await sendWithTls({ url: '/ws', headers })).status, 101);
  });

  await t.test('requests without TLS are redirected to the same address with TLS', async () => {
    const { status, headers } = await send({ port: plain, url: '/chat?x=1' });
    assert.equal(status, 301);
    assert.equal(headers.location, `https://localhost:${tls}/chat?x=1`);
  });
});
