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

const readStorage = (): unknown => JSON.parse(localStorage.getItem(identityStorageKey) ?? 'null');

afterEach(() => signOut());

describe('the signed-in user', () => {
  it('is the only stored state, under a key named after the product', () => {
    expect(identityStorageKey).toBe('thaw-chat-auth');
    signIn(aUser());
    expect(readStorage()).toEqual({ state: { user: aUser() }, version: 0 });
  });

  it('is stored as null after a logout, which keeps the key', () => {
    signIn(aUser());
    signOut();
    expect(readStorage()).toEqual({ state: { user: null }, version: 0 });
  });

  it.each([
    ['invalid JSON', '{'],
    ['a number', '5'],
    ['a text as user', '{"state":{"user":"x"},"version":0}'],
    ['a user with a text as id', '{"state":{"user":{"id":"7"}},"version":0}'],
  ])('is null when the storage contains %s', async (_description, text) => {
    // As when a page is loaded: no user is signed in before the storage is read.
    localStorage.setItem(identityStorageKey, text);
    await useIdentity.persist.rehydrate();
    expect(currentUser()).toBeNull();
  });

  it('is signed out by a logout in another tab', () => {
    followIdentity();
    signIn(aUser());
    localStorage.setItem(identityStorageKey, '{"state":{"user":null},"version":0}');
    window.dispatchEvent(new StorageEvent('storage', { key: identityStorageKey }));
    expect(currentUser()).toBeNull();
  });
});

describe('mergeIntoUser', () => {
  let raisedDetails: unknown[];
  let unsubscribe: () => void;
  beforeEach(() => {
    raisedDetails = [];
    unsubscribe = onAppEvent('profileUpdated', (detail) => raisedDetails.push(detail));
  });
  afterEach(() => unsubscribe());

  it('changes the user and raises profileUpdated', () => {
    signIn(aUser());
    mergeIntoUser({ gender: 'male' });
    expect(currentUser()).toEqual(aUser({ gender: 'male' }));
    expect(raisedDetails).toEqual([{ userId: aUser().id }]);
  });

  it('does nothing when no user is signed in', () => {
    mergeIntoUser({ gender: 'male' });
    expect(currentUser()).toBeNull();
    expect(raisedDetails).toEqual([]);
  });
});
