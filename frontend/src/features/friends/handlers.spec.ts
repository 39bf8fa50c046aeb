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
const wren = { id: 14, username: 'wren', avatar: null };

let queries: QueryClient;
let handle: (frame: ServerFrame) => void;
/** The app events, by which features notify each other, that the handler has raised. */
let raisedEvents: [keyof AppEvents, unknown][];
let unsubscribes: (() => void)[];

beforeEach(() => {
  signIn(me);
  fakeServer({});
  queries = createQueryClient();
  queries.setQueryData(friendsKey(me.id), [heron]);
  queries.setQueryData(friendRequestsKey(me.id), [aFriendRequest({ id: 30, requesterId: finch.id })]);
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

const readCachedFriends = () => queries.getQueryData(friendsKey(me.id));
const readCachedRequests = () => queries.getQueryData(friendRequestsKey(me.id));
const isInvalidated = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;

/** The frame that reports a new friend request of `wren` to the user. */
const createRequestFrame = (id: number): ServerFrame => ({
  event: 'friend_request',
  data: {
    id,
    requesterId: wren.id,
    requester: wren,
    createdAt: '2026-11-20T12:00:00.000Z',
  },
});

it('adds a friend request once, although the server may send it twice', () => {
  handle(createRequestFrame(40));
  handle(createRequestFrame(40));
  expect(readCachedRequests()).toEqual([
    aFriendRequest({ id: 30, requesterId: finch.id }),
    aFriendRequest({ id: 40, requesterId: wren.id }),
  ]);
  expect(isInvalidated(friendRequestsKey(me.id))).toBe(true);
  expect(raisedEvents).toEqual([['friend-request-received', { id: 40, requesterId: wren.id }]]);
});

it('adds friend requests with different ids', () => {
  handle(createRequestFrame(40));
  handle(createRequestFrame(41));
  expect(readCachedRequests()).toHaveLength(3);
});

it('caches the name in a friend request, so that the page does not load the profile', () => {
  handle(createRequestFrame(40));
  expect(queries.getQueryData(profileKey(wren.id))).toMatchObject({ username: 'wren' });
});

it('adds a new friend, and removes the request that was accepted', () => {
  handle({ event: 'friendship_accepted', data: { requestId: 30, friend: finch } });
  expect(readCachedFriends()).toEqual([heron, finch]);
  expect(readCachedRequests()).toEqual([]);
  expect(isInvalidated(friendsKey(me.id))).toBe(true);
  expect(isInvalidated(friendRequestsKey(me.id))).toBe(true);
  expect(raisedEvents).toEqual([['friendship-accepted', { requestId: 30, friendId: finch.id }]]);
});

/** Puts a request to `heron` into the mutation cache, as Add Friend does. */
const addSentRequest = async (): Promise<void> => {
  const request = { mutationKey: sentRequestKey(heron.id), mutationFn: () => Promise.resolve() };
  await queries.getMutationCache().build(queries, request).execute(undefined);
  expect(readSentRequest(queries, heron.id)).toBe('sent');
};

it.each([
  ['by the user', { removedFriendId: heron.id, removedBy: me.id }],
  ['by the friend', { removedFriendId: me.id, removedBy: heron.id }],
])('removes a friend when the friendship is ended %s, and allows a new request', async (_, data) => {
  await addSentRequest();
  handle({ event: 'friendship_removed', data });
  expect(readCachedFriends()).toEqual([]);
  expect(isInvalidated(friendsKey(me.id))).toBe(true);
  expect(readSentRequest(queries, heron.id)).toBeUndefined();
  expect(raisedEvents).toEqual([['friendship-removed', data]]);
});

// A friend who ended the friendship may have blocked the user, who then must not see the profile.
it('forgets the profile of a friend who ended the friendship, but not if the user ended it', () => {
  queries.setQueryData(profileKey(heron.id), { id: heron.id, username: 'heron', avatar: null });
  handle({ event: 'friendship_removed', data: { removedFriendId: heron.id, removedBy: me.id } });
  expect(queries.getQueryData(profileKey(heron.id))).toBeDefined();
  handle({ event: 'friendship_removed', data: { removedFriendId: me.id, removedBy: heron.id } });
  expect(queries.getQueryData(profileKey(heron.id))).toBeUndefined();
});

it('removes a friend and the request sent to them when they are blocked, but not when they are unblocked', async () => {
  await addSentRequest();
  handle({ event: 'block_changed', data: { userId: heron.id, isBlocked: false } });
  expect(readCachedFriends()).toHaveLength(1);
  expect(readSentRequest(queries, heron.id)).toBe('sent');
  handle({ event: 'block_changed', data: { userId: heron.id, isBlocked: true } });
  expect(readCachedFriends()).toEqual([]);
  expect(isInvalidated(friendsKey(me.id))).toBe(true);
  expect(readSentRequest(queries, heron.id)).toBeUndefined();
});

it('shows friends who come online and go offline', () => {
  handle({ event: 'presence', data: { userId: heron.id, isOnline: true } });
  expect(readCachedFriends()).toEqual([{ ...heron, isOnline: true }]);
  handle({ event: 'presence', data: { userId: heron.id, isOnline: false } });
  expect(readCachedFriends()).toEqual([heron]);
});

it("updates a friend's profile in the list and in the profile cache, and ignores the user's own profile", () => {
  handle({ event: 'profile_updated', data: { user: { id: heron.id, username: 'grey', avatar: '/a' } } });
  expect(readCachedFriends()).toEqual([{ ...heron, username: 'grey', avatar: '/a' }]);
  expect(queries.getQueryData(profileKey(heron.id))).toMatchObject({ username: 'grey' });
  handle({ event: 'profile_updated', data: { user: { id: me.id, username: 'otter', avatar: null } } });
  expect(currentUser()).toEqual(me);
  expect(raisedEvents).toEqual([['profileUpdated', { userId: heron.id }]]);
});

// Every match resets the Add Friend buttons (docs/product-decisions.md, A139).
it('removes the state of all sent requests on each new match', async () => {
  await addSentRequest();
  handle({
    event: 'chat_matched',
    data: { sessionId: 's', seq: 1, partnerId: finch.id, partnerInfo: { ...finch, isOnline: true } },
  });
  expect(readSentRequest(queries, heron.id)).toBeUndefined();
});

it('invalidates the friends when a frame arrives before the first response', async () => {
  queries.clear();
  fakeServer({ 'GET /api/friends/7': [heron] });
  // The response may have been computed before the frame was sent.
  const firstLoad = queries.fetchQuery(friendsQuery(me.id));
  handle({ event: 'presence', data: { userId: heron.id, isOnline: true } });
  await firstLoad;
  await waitFor(() => expect(isInvalidated(friendsKey(me.id))).toBe(true));
});

it('ignores frames of other features', () => {
  const friendsBefore = readCachedFriends();
  handle({ event: 'queue_left', data: {} });
  expect(readCachedFriends()).toBe(friendsBefore);
});
