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
let received: [keyof AppEvents, unknown][];
let stops: (() => void)[];

beforeEach(() => {
  signIn(me);
  fakeServer({});
  queries = createQueryClient();
  queries.setQueryData(friendsKey(7), [heron]);
  queries.setQueryData(friendRequestsKey(7), [aFriendRequest({ id: 30, requesterId: 13 })]);
  handle = createFriendsHandler(queries);
  received = [];
  stops = (
    ['friend-request-received', 'friendship-accepted', 'friendship-removed', 'profileUpdated'] as const
  ).map((event) => onAppEvent(event, (detail) => void received.push([event, detail])));
});
afterEach(() => {
  for (const stop of stops) stop();
  queries.clear();
});

const readCachedFriends = () => queries.getQueryData(friendsKey(7));
const readCachedRequests = () => queries.getQueryData(friendRequestsKey(7));
const isStale = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;

const createRequestFrame = (id: number): ServerFrame => ({
  event: 'friend_request',
  data: {
    id,
    requesterId: 14,
    requester: { id: 14, username: 'wren', avatar: null },
    createdAt: '2026-11-20T12:00:00.000Z',
  },
});

it('adds a request once, although the server may send it twice (A124)', () => {
  handle(createRequestFrame(40));
  handle(createRequestFrame(40));
  expect(readCachedRequests()).toEqual([
    aFriendRequest({ id: 30, requesterId: 13 }),
    aFriendRequest({ id: 40, requesterId: 14 }),
  ]);
  expect(isStale(friendRequestsKey(7))).toBe(true);
  expect(received).toEqual([['friend-request-received', { id: 40, requesterId: 14 }]]);
  // The frame contains the name, so the profile is not loaded.
  expect(queries.getQueryData(profileKey(14))).toMatchObject({ username: 'wren' });

  handle(createRequestFrame(41));
  expect(readCachedRequests()).toHaveLength(3);
});

it('adds the new friend and removes their request', () => {
  handle({ event: 'friendship_accepted', data: { requestId: 30, friend: finch } });
  expect(readCachedFriends()).toEqual([heron, finch]);
  expect(readCachedRequests()).toEqual([]);
  expect(isStale(friendsKey(7))).toBe(true);
  expect(isStale(friendRequestsKey(7))).toBe(true);
  expect(received).toEqual([['friendship-accepted', { requestId: 30, friendId: 13 }]]);
});

/** Puts a request to user 12 into the mutation cache, as Add Friend does. */
const sendRequest = async (): Promise<void> => {
  const request = { mutationKey: sentRequestKey(12), mutationFn: () => Promise.resolve() };
  await queries.getMutationCache().build(queries, request).execute(undefined);
  expect(readSentRequest(queries, 12)).toBe('sent');
};

it.each([
  ['by me', { removedFriendId: 12, removedBy: 7 }],
  ['by the friend', { removedFriendId: 7, removedBy: 12 }],
])('removes a friend when the friendship is ended %s, and allows a new request (A126)', async (_, data) => {
  await sendRequest();
  handle({ event: 'friendship_removed', data });
  expect(readCachedFriends()).toEqual([]);
  expect(isStale(friendsKey(7))).toBe(true);
  expect(readSentRequest(queries, 12)).toBeUndefined();
  expect(received).toEqual([['friendship-removed', data]]);
});

it('forgets the profile of a friend who ended the friendship, since it may be hidden from now on', () => {
  queries.setQueryData(profileKey(12), { id: 12, username: 'heron', avatar: null });
  handle({ event: 'friendship_removed', data: { removedFriendId: 12, removedBy: 7 } });
  expect(queries.getQueryData(profileKey(12))).toBeDefined();
  handle({ event: 'friendship_removed', data: { removedFriendId: 7, removedBy: 12 } });
  expect(queries.getQueryData(profileKey(12))).toBeUndefined();
});

it('removes a blocked friend and a request of a blocked person, and keeps both when a person is unblocked', async () => {
  await sendRequest();
  handle({ event: 'block_changed', data: { userId: 12, isBlocked: false } });
  expect(readCachedFriends()).toHaveLength(1);
  handle({ event: 'block_changed', data: { userId: 12, isBlocked: true } });
  expect(readCachedFriends()).toEqual([]);
  expect(isStale(friendsKey(7))).toBe(true);
  expect(readSentRequest(queries, 12)).toBeUndefined();
});

it('shows friends who come online and go offline (A128)', () => {
  handle({ event: 'presence', data: { userId: 12, isOnline: true } });
  expect(readCachedFriends()).toEqual([{ ...heron, isOnline: true }]);
  handle({ event: 'presence', data: { userId: 12, isOnline: false } });
  expect(readCachedFriends()).toEqual([heron]);
});

it("updates a friend's profile everywhere, and leaves the user's own to the profile feature", () => {
  handle({ event: 'profile_updated', data: { user: { id: 12, username: 'grey', avatar: '/a' } } });
  expect(readCachedFriends()).toEqual([{ ...heron, username: 'grey', avatar: '/a' }]);
  expect(queries.getQueryData(profileKey(12))).toMatchObject({ username: 'grey' });
  handle({ event: 'profile_updated', data: { user: { id: 7, username: 'otter', avatar: null } } });
  expect(currentUser()).toEqual(me);
  expect(received).toEqual([['profileUpdated', { userId: 12 }]]);
});

it('removes the state of sent requests on each new match (A139)', async () => {
  await sendRequest();
  handle({
    event: 'chat_matched',
    data: { sessionId: 's', seq: 1, partnerId: 12, partnerInfo: { ...heron, isOnline: true } },
  });
  expect(readSentRequest(queries, 12)).toBeUndefined();
});

it('refetches when a frame overtakes the first response', async () => {
  queries.clear();
  const server = fakeServer({ 'GET /api/friends/7': [heron] });
  const first = queries.fetchQuery(friendsQuery(7));
  handle({ event: 'presence', data: { userId: 12, isOnline: true } });
  server.routes['GET /api/friends/7'] = [{ ...heron, isOnline: true }];
  await first;
  await waitFor(() => expect(isStale(friendsKey(7))).toBe(true));
});

it('ignores frames of other features', () => {
  signIn(me);
  const before = readCachedFriends();
  handle({ event: 'queue_left', data: {} });
  expect(readCachedFriends()).toBe(before);
});
