import assert from 'node:assert/strict';
import test from 'node:test';
import { productEnvironment } from './product-environment.mjs';
import { temporaryHome } from './testing/launcher.mjs';

test('every process listens on loopback only, unless an address is given', (t) => {
  const home = temporaryHome(t);
  const stores = { databaseUrl: 'postgres://127.0.0.1/none', redisUrl: 'redis://127.0.0.1' };
  const hosts = (given, settings) => {
    const { HOST, INTERNAL_HOST } = productEnvironment({ home, stores, given, settings });
    return [HOST, INTERNAL_HOST];
  };
  assert.deepEqual(hosts({}), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(hosts({ HOST: '', INTERNAL_HOST: '' }), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(hosts({ HOST: '0.0.0.0' }), ['0.0.0.0', '127.0.0.1']);
  assert.deepEqual(hosts({ HOST: '0.0.0.0' }, { HOST: '127.0.0.1' }), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(hosts({ INTERNAL_HOST: '::1' }), ['127.0.0.1', '::1']);
});
