// Runs the product behind the example tls-front.conf. Part of `npm run test:optional`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { WebSocket } from 'ws';
import { findFreePorts } from '../local/processes/ports.mjs';
import { createTestHome } from '../local/testing/launcher.mjs';
import { startStack } from '../local/thaw-stack.mjs';
import { send, startTlsFront } from './testing/tls-front.mjs';

/**
 * The `lookup` of a connection to the TLS front, which listens only on 127.0.0.1, while localhost may resolve to ::1.
 * `all`: whether the caller wants a list of addresses.
 */
const lookupLoopback = (_host, { all }, done) => {
  if (all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

test('the product behind TLS', async (t) => {
  const home = createTestHome(t);
  const [tlsPort, plainPort] = await findFreePorts(2);
  const origin = `https://localhost:${tlsPort}`;
  const stack = await startStack({
    replicas: 2,
    env: { PUBLIC_ORIGIN: origin, TRUSTED_PROXIES: '127.0.0.1' },
  });
  t.after(() => stack.stop());
  const ports = { tls: tlsPort, plain: plainPort, thaw: stack.ports.page };
  const front = await startTlsFront({ home, ports });
  t.after(() => front.stop());
  const sendWithTls = (options) => send({ port: tlsPort, certificate: front.certificate, ...options });
  /** Signs in a new anonymous user, as a page of this origin does. */
  const signInFrom = (pageOrigin) =>
    sendWithTls({
      url: '/api/anonymous',
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: pageOrigin },
      body: '{}',
    });

  await t.test('the page is served with Strict-Transport-Security', async () => {
    const { status, headers } = await sendWithTls({ url: '/' });
    assert.equal(status, 200);
    assert.match(headers['strict-transport-security'], /max-age=/);
  });

  await t.test('cookies are Secure, HttpOnly and bound to the host', async () => {
    const { status, headers } = await signInFrom(origin);
    assert.equal(status, 201);
    for (const cookie of headers['set-cookie']) {
      assert.match(cookie, /^__Host-thaw\./);
      assert.match(cookie, /; Secure/);
      assert.match(cookie, /; HttpOnly/);
    }
  });

  await t.test('a socket with the cookies of a user authenticates as this user', async () => {
    const { status, headers, text } = await signInFrom(origin);
    assert.equal(status, 201);
    const { user } = JSON.parse(text);
    const socket = new WebSocket(`wss://localhost:${tlsPort}/ws`, {
      ca: front.certificate,
      lookup: lookupLoopback,
      origin,
      headers: { cookie: headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ') },
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ event: 'authenticate', data: { userId: user.id } }));
    const [message] = await once(socket, 'message');
    assert.equal(JSON.parse(String(message)).event, 'authenticated');
    socket.close();
    await once(socket, 'close');
  });

  await t.test('requests of a page without TLS, or of another origin, are refused', async () => {
    for (const foreignOrigin of [`http://localhost:${tlsPort}`, 'https://elsewhere.example']) {
      const { status } = await signInFrom(foreignOrigin);
      assert.equal(status, 403, foreignOrigin);
    }
  });
});
