import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { closeCodes } from '@thaw/contract/close-codes';
import { type Notice, type Standing } from '@thaw/contract/safety';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { startRealtime } from '@/app/realtime';
import { ChatRoute } from '@/app/routes/chat-route';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { noticesKey } from '@/features/standing/api/notices-cache';
import { request } from '@/lib/api-client';
import { queryClient } from '@/lib/query-client';
import { currentUser, mergeIntoUser, signIn, signOut } from '@/product/identity';
import { aPartner, aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { FakeSocket } from '@/testing/fake-socket';
import { aNotice } from '@/testing/safety-factories';

// A user's standing says whether moderation has restricted them. The standing page replaces the chat of a suspended or
// banned user. The tests render /chat with its real socket client and stores; the HTTP server and WebSocket are fakes.

/** How often /chat refetches the user while their account is paused. */
const standingPollMs = 60_000;
const suspensionNoticeId = 41;
const banNoticeId = 47;
const goodStanding: Standing = { kind: 'good', since: null, until: null, noticeId: null };
const suspended: Standing = {
  kind: 'suspended',
  since: '2026-11-20T21:10:00.000Z',
  until: '2026-11-27T21:10:00.000Z',
  noticeId: suspensionNoticeId,
};
const banned: Standing = { kind: 'banned', since: suspended.since, until: null, noticeId: banNoticeId };
const me = aUser({ standing: goodStanding }); // has the id 7
const suspensionNotice = aNotice({ id: suspensionNoticeId, until: suspended.until });
const banNotice = aNotice({ id: banNoticeId, kind: 'ban', until: null });
const userRoute = `GET /api/user/${me.id}` as const;
const noticesRoute = `GET /api/notices/${me.id}` as const;
const markSeenRoute = `PUT /api/notices/${suspensionNoticeId}` as const;

const sockets: FakeSocket[] = [];
const getCurrentSocket = (): FakeSocket => sockets.at(-1)!;
/** Opens the socket and signs it in; the user is in no chat. */
const acceptConnection = (): void =>
  act(() => {
    getCurrentSocket().accept();
    getCurrentSocket().deliver(
      'authenticated',
      { userId: me.id, state: 'idle' },
      getCurrentSocket().findLast('authenticate')?.ref,
    );
  });

beforeAll(() => {
  // The socket client logs each command that the server refuses.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  // A wide window, in which the sidebar is next to the chat.
  const mediaQueryList = window.matchMedia('');
  jest.spyOn(window, 'matchMedia').mockReturnValue({ ...mediaQueryList, matches: true });
  Object.assign(globalThis, {
    WebSocket: jest.fn(() => {
      sockets.push(new FakeSocket());
      return getCurrentSocket();
    }),
  });
  startRealtime();
});
afterEach(() => {
  act(() => signOut());
  jest.useRealTimers();
});

/** Opens /chat as a user with this standing and these notices. */
const openChatPage = ({
  standing = goodStanding,
  notices = [],
}: { standing?: Standing; notices?: Notice[] } = {}) => {
  const server = fakeServer({
    [userRoute]: { ...me, standing },
    [`GET /api/friends/${me.id}`]: [],
    [`GET /api/friends/requests/${me.id}`]: [],
    [`GET /api/private-messages/unread-counts/${me.id}`]: {},
    [noticesRoute]: notices,
    'POST /api/logout': undefined,
  });
  server.routes[markSeenRoute] = () => {
    const seenNotice = { ...suspensionNotice, seenAt: '2026-11-20T22:00:00.000Z' };
    server.routes[noticesRoute] = [seenNotice];
    return seenNotice;
  };
  const socketCountBefore = sockets.length;
  signIn({ ...me, standing });
  render(
    <MemoryRouter initialEntries={['/chat']}>
      <Routes>
        <Route path="/chat" element={<ChatRoute />} />
        <Route path="/auth" element={<p>the sign-in page</p>} />
      </Routes>
    </MemoryRouter>,
  );
  return { server, countOpenedSockets: () => sockets.length - socketCountBefore };
};
/** Opens /chat as a user in good standing and connects the socket. */
const openConnectedChat = async () => {
  const opened = openChatPage();
  await screen.findByRole('heading', { name: 'Ready to chat?' });
  acceptConnection();
  return opened;
};
/** Suspends the user on the server, with a notice. The page does not know of it yet. */
const suspendOnServer = ({ routes }: ReturnType<typeof fakeServer>): void => {
  routes[userRoute] = { ...me, standing: suspended };
  routes[noticesRoute] = [suspensionNotice];
};
const findPausedHeading = () => screen.findByRole('heading', { level: 1, name: 'Your account is paused' });

it('a suspension during a chat opens the standing page, ends the chat, and closes the socket for good', async () => {
  const { server, countOpenedSockets } = await openConnectedChat();
  const partnerInfo = aPartner();
  act(() => randomChat.startSearch());
  act(() =>
    getCurrentSocket().deliver('chat_matched', { sessionId: 's1', seq: 1, partnerId: 12, partnerInfo }),
  );
  suspendOnServer(server);
  act(() => getCurrentSocket().deliver('standing', suspended));
  expect(await findPausedHeading()).toHaveFocus();
  expect(document.title).toBe('Your account is paused · Thaw');
  expect(screen.queryByRole('heading', { name: 'Ready to chat?' })).toBeNull();
  expect(randomChat.useStore.getState().phase).toBe('initial');
  expect(getCurrentSocket().closedWith).toBe(closeCodes.normal);
  // The page does not reconnect.
  expect(countOpenedSockets()).toBe(1);
});

it('the standing page shows the notice of the suspension and marks it as seen, without a dialog', async () => {
  const { server } = await openConnectedChat();
  suspendOnServer(server);
  act(() => getCurrentSocket().deliver('standing', suspended));
  // The rule of a notice that `aNotice` creates.
  expect(await screen.findByText('Rule: Nothing sexual that the other does not want.')).toBeVisible();
  await waitFor(() => expect(server.count('PUT', `/api/notices/${suspensionNoticeId}`)).toBe(1));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('a socket closed with 4401 (not signed in) leads to the standing page if the user is suspended', async () => {
  const { server, countOpenedSockets } = await openConnectedChat();
  suspendOnServer(server);
  act(() => getCurrentSocket().drop(closeCodes.notSignedIn));
  expect(await findPausedHeading()).toBeVisible();
  // The page does not reconnect.
  expect(countOpenedSockets()).toBe(1);
});

it('the standing page appears when the server refuses an HTTP request with the code suspended', async () => {
  const { server } = await openConnectedChat();
  suspendOnServer(server);
  server.routes['GET /api/chat-history/7'] = new Refusal(403, { code: 'suspended', message: 'Suspended' });
  await expect(request('GET', '/api/chat-history/7')).rejects.toThrow('403');
  expect(await findPausedHeading()).toBeVisible();
});

it('a banned user who signs in sees the ban, has no socket, and can sign out', async () => {
  const { countOpenedSockets } = openChatPage({ standing: banned, notices: [banNotice] });
  expect(await screen.findByRole('heading', { name: 'Your account is closed' })).toBeVisible();
  expect(await screen.findByText('Without an end')).toBeVisible();
  expect(countOpenedSockets()).toBe(0);
  // The page has two Logout buttons: in its header and below the notice.
  await userEvent.click(screen.getAllByRole('button', { name: 'Logout' })[0]!);
  expect(await screen.findByText('the sign-in page')).toBeVisible();
  expect(currentUser()).toBeNull();
  expect(queryClient.getQueryData(noticesKey(me.id))).toBeUndefined();
});

it('the chat returns without a reload when the suspension is lifted', async () => {
  jest.useFakeTimers();
  const { server, countOpenedSockets } = openChatPage({ standing: suspended, notices: [suspensionNotice] });
  expect(await findPausedHeading()).toBeVisible();
  const countUserRequests = () => server.count('GET', `/api/user/${me.id}`);
  const requestCountBefore = countUserRequests();
  // The user is still suspended at the first poll.
  await act(() => jest.advanceTimersByTimeAsync(standingPollMs));
  expect(countUserRequests()).toBe(requestCountBefore + 1);
  expect(await findPausedHeading()).toBeVisible();
  server.routes[userRoute] = me;
  await act(() => jest.advanceTimersByTimeAsync(standingPollMs));
  expect(await screen.findByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  expect(countOpenedSockets()).toBe(1);
});

it('the chat returns even if the response equals the one received before the suspension', async () => {
  jest.useFakeTimers();
  const { server } = openChatPage();
  await screen.findByRole('heading', { name: 'Ready to chat?' });
  await waitFor(() => expect(server.count('GET', `/api/user/${me.id}`)).toBe(1));
  // The server still responds with the good standing. TanStack Query keeps a cached object that equals the response.
  act(() => mergeIntoUser({ standing: suspended }));
  expect(await findPausedHeading()).toBeVisible();
  await act(() => jest.advanceTimersByTimeAsync(standingPollMs));
  expect(await screen.findByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
});

it('a search refused because of the standing shows the reason instead of an error', async () => {
  const { server } = await openConnectedChat();
  // The user has to answer whether they are an adult before they may search again.
  const standing = { ...suspended, kind: 'age_question', noticeId: 43 } as const;
  server.routes[userRoute] = { ...me, standing };
  await userEvent.click(screen.getByRole('button', { name: 'Find Conversation' }));
  // The server refuses every search that the standing forbids with the code `suspended`.
  act(() =>
    getCurrentSocket().deliver(
      'error',
      { code: 'suspended', message: 'Suspended' },
      getCurrentSocket().findLast('join_queue')?.ref,
    ),
  );
  expect(await screen.findByText('You can search again once you have answered a question.')).toBeVisible();
  expect(screen.queryByText('Search not started')).toBeNull();
});
