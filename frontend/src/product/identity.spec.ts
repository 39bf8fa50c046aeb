import { onAppEvent } from '@/product/app-events';
import {
  currentUser,
  followIdentity,
  identityStorageKey,
  mergeIntoUser,
  signIn,
  signOut,
  useIdentity,
} from '@/product/identity';
import { aUser } from '@/testing/factories';

const readStoredUser = (): unknown => JSON.parse(localStorage.getItem(identityStorageKey) ?? 'null');

afterEach(() => signOut());

it('stores only the user, under a key named after the product', () => {
  expect(identityStorageKey).toBe('thaw-chat-auth');
  signIn(aUser());
  expect(readStoredUser()).toEqual({ state: { user: aUser() }, version: 0 });
});

it('stores null after a logout and keeps the key', () => {
  signIn(aUser());
  signOut();
  expect(readStoredUser()).toEqual({ state: { user: null }, version: 0 });
});

it('mergeIntoUser changes the user and raises profileUpdated, and does nothing when signed out', () => {
  const raised: unknown[] = [];
  const unsubscribe = onAppEvent('profileUpdated', (detail) => raised.push(detail));
  mergeIntoUser({ username: 'nobody' });
  expect(currentUser()).toBeNull();
  expect(raised).toEqual([]);
  signIn(aUser());
  mergeIntoUser({ gender: 'male' });
  expect(currentUser()).toEqual(aUser({ gender: 'male' }));
  expect(raised).toEqual([{ userId: aUser().id }]);
  unsubscribe();
});

it.each(['{', '{"state":{"user":"x"},"version":0}', '{"state":{"user":{"id":"7"}},"version":0}', '5'])(
  'has no user when the storage contains %s',
  async (text) => {
    localStorage.setItem(identityStorageKey, text);
    await useIdentity.persist.rehydrate();
    expect(currentUser()).toBeNull();
  },
);

it('signs out when the user logs out in another tab', () => {
  followIdentity();
  signIn(aUser());
  localStorage.setItem(identityStorageKey, '{"state":{"user":null},"version":0}');
  window.dispatchEvent(new StorageEvent('storage', { key: identityStorageKey }));
  expect(currentUser()).toBeNull();
});
