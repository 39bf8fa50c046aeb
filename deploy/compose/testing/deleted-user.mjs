import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
// Compiled by `npm run build` to CommonJS, hence the default import.
import canaryUser from '../../../backend/dist/testing/canary-user.driver.js';
import { ThawVisitor } from './thaw-client.mjs';

const { chat, createWords, register, writePrivately } = canaryUser;

const STORED_WITHIN_MS = 30_000;
const ERASED_WITHIN_MS = 60_000;

/**
 * Asserts that a dump contains unique texts that a user entered, and none of them after the account was deleted.
 * @param {string} origin  address of the running product
 * @param {() => Promise<string>} dump  reads everything that the database stores
 */
export async function assertNoWordsAfterDeletion(origin, dump) {
  const words = createWords();
  const findWords = async () => {
    const text = await dump();
    return Object.keys(words).filter((field) => text.includes(words[field]));
  };
  const ada = await register(origin, words);
  const bob = await new ThawVisitor([origin]).joinAnonymously('male');
  const users = { ada, bob, adaSocket: await ada.openSocket(), bobSocket: await bob.openSocket(), words };
  await chat(users);
  await writePrivately(users);
  // Check first that the dump contains the words, because an empty dump would prove nothing.
  const written = ['name', 'newEmail', 'message', 'edited', 'reply', 'privateMessage', 'privateEdit'];
  const isWritten = async () => {
    const found = await findWords();
    return written.every((field) => found.includes(field));
  };
  await waitUntil(isWritten, STORED_WITHIN_MS, 'the dump lacks words of the user');

  const erasure = await ada.call('POST', `/api/user/${ada.user.id}/erasure`, {
    currentPassword: words.password,
  });
  assert.equal(erasure.status, 202);
  await waitUntil(
    async () => (await ada.call('GET', `/api/receipts/${erasure.body.receiptId}`)).body.state === 'done',
    ERASED_WITHIN_MS,
    'the account was not erased',
  );
  assert.deepEqual(await findWords(), []);
  await Promise.all([users.adaSocket.leave(), users.bobSocket.leave()]);
}

async function waitUntil(condition, limitMs, failure) {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `${failure} after ${limitMs} ms`);
    await sleep(500);
  }
}
