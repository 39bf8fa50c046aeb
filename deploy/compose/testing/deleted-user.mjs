import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
// Compiled by `npm run build` to CommonJS, hence the default import.
import canaryUser from '../../../backend/dist/testing/canary-user.driver.js';
import { ThawVisitor } from './thaw-client.mjs';

const { holdRandomChat, createWords, registerAndChangeProfile, writePrivately } = canaryUser;

const STORED_WITHIN_MS = 30_000;
const ERASED_WITHIN_MS = 60_000;

/**
 * Acts as a user who enters words that occur nowhere else. Asserts that a dump contains some of these words before
 * the user deletes the account, and none of them afterwards.
 * @param {string} origin  address of the running product
 * @param {() => Promise<string>} dump  reads everything that the database stores
 */
export async function assertNoWordsAfterDeletion(origin, dump) {
  const words = createWords();
  /** Lists the fields of `words` whose word is in the dump. */
  const findFieldsInDump = async () => {
    const text = await dump();
    return Object.keys(words).filter((field) => text.includes(words[field]));
  };
  const ada = await registerAndChangeProfile(origin, words);
  // `holdRandomChat` lets Ada, who is female, search for male partners.
  const bob = await new ThawVisitor([origin]).joinAnonymously('male');
  const users = { ada, bob, adaSocket: await ada.openSocket(), bobSocket: await bob.openSocket(), words };
  await holdRandomChat(users);
  await writePrivately(users);
  // Check first that the dump contains words that the service stores, because an empty dump would prove nothing.
  // Not every word is stored as it is: the password, for example, is stored as a hash.
  const storedFields = ['name', 'newEmail', 'message', 'edited', 'reply', 'privateMessage', 'privateEdit'];
  const areWordsStored = async () => {
    const foundFields = await findFieldsInDump();
    return storedFields.every((field) => foundFields.includes(field));
  };
  await waitUntil(areWordsStored, STORED_WITHIN_MS, 'the dump lacks words of the user');

  const erasure = await ada.call('POST', `/api/user/${ada.user.id}/erasure`, {
    currentPassword: words.password,
  });
  assert.equal(erasure.status, 202);
  await waitUntil(
    async () => (await ada.call('GET', `/api/receipts/${erasure.body.receiptId}`)).body.state === 'done',
    ERASED_WITHIN_MS,
    'the account was not erased',
  );
  assert.deepEqual(await findFieldsInDump(), []);
  await Promise.all([users.adaSocket.leave(), users.bobSocket.leave()]);
}

async function waitUntil(condition, limitMs, failure) {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `${failure} after ${limitMs} ms`);
    await sleep(500);
  }
}
