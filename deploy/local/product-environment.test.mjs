import assert from 'node:assert/strict';
import test from 'node:test';
import { prepareProductEnvironment } from './product-environment.mjs';
import { createTestHome } from './testing/launcher.mjs';

test('every process listens on loopback only, unless a setting names another address', (t) => {
  const home = createTestHome(t);
  // The addresses are only passed on; no store is contacted.
  const stores = { databaseUrl: 'postgres://127.0.0.1/none', redisUrl: 'redis://127.0.0.1' };
  // `stackSettings` are for all processes of the stack, `settings` for this one.
  const readHosts = (stackSettings, settings) => {
    const { HOST, INTERNAL_HOST } = prepareProductEnvironment({ home, stores, stackSettings, settings });
    return [HOST, INTERNAL_HOST];
  };
  assert.deepEqual(readHosts({}), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(readHosts({ HOST: '', INTERNAL_HOST: '' }), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(readHosts({ HOST: '0.0.0.0' }), ['0.0.0.0', '127.0.0.1']);
  assert.deepEqual(readHosts({ HOST: '0.0.0.0' }, { HOST: '127.0.0.1' }), ['127.0.0.1', '127.0.0.1']);
  assert.deepEqual(readHosts({ INTERNAL_HOST: '::1' }), ['127.0.0.1', '::1']);
});
