import { type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { friendRequestsKey, friendsKey, friendsQuery } from '@/features/friends/api/friends';
import { createFriendsHandler } from '@/features/friends/handlers';
import { readSentRequest, sentRequestKey } from '@/features/friends/stores/sent-requests';
import { createQueryClient } from '@/lib/query-client';
import { type AppEvents, onAppEvent } from '@/product/app-events';
import { currentUser, signIn } from '@/product/identity';
import { profileKey } from '@/product/profile-query';
import { aFriend, aFriendRequest, aUser } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';

const me = aUser({ id: 7 });
const heron = aFriend({ id: 12, username: 'heron', isOnline: false });
const finch = aFriend({ id: 13, username: 'finch' });

let queries: QueryClient;
let handle: (frame: ServerFrame) => void;
/** The app events, by which features notify each other, that the handler has raised. */
let raisedEvents: [keyof AppEvents, unknown][];
let unsubscribes: (() => void)[];

beforeEach(() => {
  signIn(me);
  fakeServer({});
  queries = createQueryClient();
  queries.setQueryData(friendsKey(7), [heron]);
  queries.setQueryData(friendRequestsKey(7), [aFriendRequest({ id: 30, requesterId: 13 })]);
  handle = createFriendsHandler(queries);
  raisedEvents = [];
  // The product specification names `profileUpdated` in camel case.
  unsubscribes = (
    ['friend-request-received', 'friendship-accepted', 'friendship-removed', 'profileUpdated'] as const
  ).map((event) => onAppEvent(event, (detail) => void raisedEvents.push([event, detail])));
});
afterEach(() => {
  for (const unsubscribe of unsubscribes) unsubscribe();
  queries.clear();
});

const readCachedFriends = () => queries.getQueryData(friendsKey(7));
const readCachedRequests = () => queries.getQueryData(friendRequestsKey(7));
const isInvalidated = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;

/** The frame that reports a new friend request of user 14 to the user. */
const createRequestFrame = (id: number): ServerFrame => ({
  event: 'friend_request',
  data: {
    id,
    requesterId: 14,
    requester: { id: 14, username: 'wren', avatar: null },
    createdAt: '2026-11-20T12:00:00.000Z',
  },
});

it('adds a request once, although the server may send it twice', () => {
  handle(createRequestFrame(40));
  handle(createRequestFrame(40));
  expect(readCachedRequests()).toEqual([
    aFriendRequest({ id: 30, requesterId: 13 }),
    aFriendRequest({ id: 40, requesterId: 14 }),
  ]);
  expect(isInvalidated(friendRequestsKey(7))).toBe(true);
  expect(raisedEvents).toEqual([['friend-request-received', { id: 40, requesterId: 14 }]]);
  // The name in the frame is cached, so that the page does not load the profile.
  expect(queries.getQueryData(profileKey(14))).toMatchObject({ username: 'wren' });

  // A request with another id is added.
  handle(createRequestFrame(41));
  expect(readCachedRequests()).toHaveLength(3);
});

it('adds a new friend, and removes the request that was accepted', () => {
  handle({ event: 'friendship_accepted', data: { requestId: 30, friend: finch } });
  expect(readCachedFriends()).toEqual([heron, finch]);
  expect(readCachedRequests()).toEqual([]);
  expect(isInvalidated(friendsKey(7))).toBe(true);
  expect(isInvalidated(friendRequestsKey(7))).toBe(true);
  expect(raisedEvents).toEqual([['friendship-accepted', { requestId: 30, friendId: 13 }]]);
});

/** Puts a request to user 12 into the mutation cache, as Add Friend does. */
const addSentRequest = async (): Promise<void> => {
  const request = { mutationKey: sentRequestKey(12), mutationFn: () => Promise.resolve() };
  await queries.getMutationCache().build(queries, request).execute(undefined);
  expect(readSentRequest(queries, 12)).toBe('sent');
};

it.each([
  ['by the user', { removedFriendId: 12, removedBy: 7 }],
  ['by the friend', { removedFriendId: 7, removedBy: 12 }],
])('removes a friend when the friendship is ended %s, and allows a new request', async (_, data) => {
  await addSentRequest();
  handle({ event: 'friendship_removed', data });
  expect(readCachedFriends()).toEqual([]);
  expect(isInvalidated(friendsKey(7))).toBe(true);
  expect(readSentRequest(queries, 12)).toBeUndefined();
  expect(raisedEvents).toEqual([['friendship-removed', data]]);
});

// A friend who ended the friendship may have blocked the user, who then must not see the profile.
it('forgets the profile of a friend who ended the friendship, but not if the user ended it', () => {
  queries.setQueryData(profileKey(12), { id: 12, username: 'heron', avatar: null });
  handle({ event: 'friendship_removed', data: { removedFriendId: 12, removedBy: 7 } });
  expect(queries.getQueryData(profileKey(12))).toBeDefined();
  handle({ event: 'friendship_removed', data: { removedFriendId: 7, removedBy: 12 } });
  expect(queries.getQueryData(profileKey(12))).toBeUndefined();
});

it('removes a friend and the request sent to them when they are blocked, but not when they are unblocked', async () => {
  await addSentRequest();
  handle({ event: 'block_changed', data: { userId: 12, isBlocked: false } });
  expect(readCachedFriends()).toHaveLength(1);
  expect(readSentRequest(queries, 12)).toBe('sent');
  handle({ event: 'block_changed', data: { userId: 12, isBlocked: true } });
  expect(readCachedFriends()).toEqual([]);
  expect(isInvalidated(friendsKey(7))).toBe(true);
  expect(readSentRequest(queries, 12)).toBeUndefined();
});

it('shows friends who come online and go offline', () => {
  handle({ event: 'presence', data: { userId: 12, isOnline: true } });
  expect(readCachedFriends()).toEqual([{ ...heron, isOnline: true }]);
  handle({ event: 'presence', data: { userId: 12, isOnline: false } });
  expect(readCachedFriends()).toEqual([heron]);
});

it("updates a friend's profile in the list and in the profile cache, and ignores the user's own profile", () => {
  handle({ event: 'profile_updated', data: { user: { id: 12, username: 'grey', avatar: '/a' } } });
  expect(readCachedFriends()).toEqual([{ ...heron, username: 'grey', avatar: '/a' }]);
  expect(queries.getQueryData(profileKey(12))).toMatchObject({ username: 'grey' });
  handle({ event: 'profile_updated', data: { user: { id: 7, username: 'otter', avatar: null } } });
  expect(currentUser()).toEqual(me);
  expect(raisedEvents).toEqual([['profileUpdated', { userId: 12 }]]);
});

// Every match resets the Add Friend buttons (docs/product-decisions.md, A139).
it('removes the state of all sent requests on each new match', async () => {
  await addSentRequest();
  handle({
    event: 'chat_matched',
    data: { sessionId: 's', seq: 1, partnerId: 13, partnerInfo: { ...finch, isOnline: true } },
  });
  expect(readSentRequest(queries, 12)).toBeUndefined();
});

it('invalidates the friends when a frame arrives before the first response', async () => {
  queries.clear();
  fakeServer({ 'GET /api/friends/7': [heron] });
  // The response may have been computed before the frame was sent.
  const firstLoad = queries.fetchQuery(friendsQuery(7));
  handle({ event: 'presence', data: { userId: 12, isOnline: true } });
  await firstLoad;
  await waitFor(() => expect(isInvalidated(friendsKey(7))).toBe(true));
});

it('ignores frames of other features', () => {
  const friendsBefore = readCachedFriends();
  handle({ event: 'queue_left', data: {} });
  expect(readCachedFriends()).toBe(friendsBefore);
});
