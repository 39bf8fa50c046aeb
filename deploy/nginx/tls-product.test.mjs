// Runs the product behind the example tls-front.conf. Part of `npm run test:optional`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { WebSocket } from 'ws';
import { findFreePorts } from '../local/processes/ports.mjs';
import { createTestHome } from '../local/testing/launcher.mjs';
import { startStack } from '../local/thaw-stack.mjs';
import { send, startTlsFront } from './testing/tls-front.mjs';

test('the product behind TLS', async (t) => {
  const home = createTestHome(t);
  const [tls, plain] = await findFreePorts(2);
  const origin = `https://localhost:${tls}`;
  const stack = await startStack({
    replicas: 2,
    env: { PUBLIC_ORIGIN: origin, TRUSTED_PROXIES: '127.0.0.1' },
  });
  t.after(() => stack.stop());
  const front = await startTlsFront({ home, ports: { tls, plain, thaw: stack.ports.page } });
  t.after(() => front.stop());
  const sendWithTls = (options) => send({ port: tls, certificate: front.certificate, ...options });
  const json = { 'Content-Type': 'application/json' };
  const signIn = (pageOrigin) =>
    sendWithTls({
      url: '/api/anonymous',
      method: 'POST',
      headers: { ...json, Origin: pageOrigin },
      body: '{}',
    });

  await t.test('the page is served with Strict-Transport-Security', async () => {
    const { status, headers } = await sendWithTls({ url: '/' });
    assert.equal(status, 200);
    assert.match(headers['strict-transport-security'], /max-age=/);
  });

  await t.test('cookies are Secure and bound to the host, and a socket opens with them', async () => {
    const { status, headers, text } = await signIn(origin);
    assert.equal(status, 201);
    for (const cookie of headers['set-cookie']) {
      assert.match(cookie, /^__Host-thaw\./);
      assert.match(cookie, /; Secure/);
      assert.match(cookie, /; HttpOnly/);
    }
    const { user } = JSON.parse(text);
    const socket = new WebSocket(`wss://localhost:${tls}/ws`, {
      ca: front.certificate,
      // The TLS front listens only on 127.0.0.1, and localhost may resolve to ::1.
      lookup: (_host, { all }, done) =>
        all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
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
    for (const foreignOrigin of [`http://localhost:${tls}`, 'https://elsewhere.example']) {
      const { status } = await signIn(foreignOrigin);
      assert.equal(status, 403, foreignOrigin);
    }
  });
});
