import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
// Compiled by `npm run build` to CommonJS, hence the default import.
import canaryUser from '../../../backend/dist/testing/canary-user.driver.js';
import { ThawVisitor } from './thaw-client.mjs';

const { holdRandomChat, createWords, registerAndChangeProfile, writePrivately } = canaryUser;

const STORED_WITHIN_MS = 30_000;
const ERASED_WITHIN_MS = 60_000;
/** Fields whose words are stored as they are, unlike the password, for example, of which only a hash is stored. */
const STORED_FIELDS = ['name', 'newEmail', 'message', 'edited', 'reply', 'privateMessage', 'privateEdit'];

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
  // Male, because Ada searches for male partners in `holdRandomChat`.
  const bob = await new ThawVisitor([origin]).joinAnonymously('male');
  const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
  await holdRandomChat({ ada, bob, adaSocket, bobSocket, words });
  await writePrivately({ ada, bob, adaSocket, bobSocket, words });

  // Without this check, an empty dump would pass the test.
  const areWordsStored = async () => {
    const foundFields = await findFieldsInDump();
    return STORED_FIELDS.every((field) => foundFields.includes(field));
  };
  await waitUntil(areWordsStored, STORED_WITHIN_MS, 'the dump lacks words of the user');

  await eraseAccount(ada, words.password);
  assert.deepEqual(await findFieldsInDump(), []);
  await Promise.all([adaSocket.leave(), bobSocket.leave()]);
}

/** Requests the erasure of the user's account, and waits until it is done. */
async function eraseAccount(visitor, currentPassword) {
  const request = await visitor.call('POST', `/api/user/${visitor.user.id}/erasure`, { currentPassword });
  assert.equal(request.status, 202);
  const isErased = async () => {
    const receipt = await visitor.call('GET', `/api/receipts/${request.body.receiptId}`);
    return receipt.body.state === 'done';
  };
  await waitUntil(isErased, ERASED_WITHIN_MS, 'the account was not erased');
}

async function waitUntil(condition, limitMs, failure) {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `${failure} after ${limitMs} ms`);
    await sleep(500);
  }
}
