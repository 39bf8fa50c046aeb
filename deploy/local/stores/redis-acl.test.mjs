// Checks the ACL of the product's user against a real Redis. ACL DRYRUN checks a command without running it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { logNothing } from '../console.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { formatThawUser, RedisNode } from './redis-node.mjs';
import { findRedis } from './redis-program.mjs';

describe('the Redis user of the product, with the ACL of the compose files', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-redis-rights-'));
  let node;

  before(async () => {
    const [port] = await findFreePorts(1);
    const program = await findRedis(logNothing);
    // No snapshots, and the product's user, with the ACL that the compose files give this user.
    const settings = `save ""\n${formatThawUser('secret')}`;
    node = new RedisNode({ program, folder, port, password: 'secret', settings });
    await node.start();
  });
  after(async () => {
    await node.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  /** @returns the commands that the ACL allows */
  const listAllowed = async (commands) => {
    const replies = await Promise.all(
      commands.map((command) => node.call('ACL', 'DRYRUN', 'thaw', ...command.split(' '))),
    );
    return commands.filter((_, index) => replies[index] === 'OK');
  };

  it('may send the commands that the product sends to a single server and to a cluster', async () => {
    const commands = [
      'EVALSHA 0123 1 {shard7}:outbox',
      'EVAL return 1 {shard7}:outbox',
      'SPUBLISH {shard7}:live:replica message',
      'SSUBSCRIBE {shard7}:live:replica',
      'SUNSUBSCRIBE {shard7}:live:replica',
      'XRANGE {shard7}:outbox - +',
      'BZPOPMIN {jobs}:queue:marker 1',
      'MEMORY USAGE {shard7}:outbox',
      'SCAN 0 MATCH {shard*',
      'CLUSTER SLOTS',
      'ASKING',
      'PING',
      'INFO memory',
      'CLIENT SETNAME worker',
      'CLIENT LIST',
      'BGREWRITEAOF', // removes deleted data from the append-only file
    ];
    assert.deepEqual(await listAllowed(commands), commands);
  });

  it('may not send commands that administer Redis, list all keys or delete all data', async () => {
    const commands = [
      'FLUSHALL',
      'FLUSHDB',
      'KEYS *',
      'CONFIG GET requirepass',
      'ACL LIST',
      'MONITOR',
      'CLIENT KILL ID 1',
      'SHUTDOWN',
      'DEBUG SLEEP 0',
      'SAVE',
      'REPLICAOF NO ONE',
      'MIGRATE 127.0.0.1 6379 key 0 1000',
      'RESTORE key 0 value',
      'SWAPDB 0 1',
      'MODULE LIST',
      'CLUSTER RESET',
      'CLUSTER FAILOVER',
      'CLUSTER SETSLOT 1 STABLE',
    ];
    assert.deepEqual(await listAllowed(commands), []);
  });
});
