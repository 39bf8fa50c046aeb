import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { ChatRoute } from '@/app/routes/chat-route';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';

const me = aUser({ isAnonymous: false });

/** Opens /chat, signed in as `me`; `respondToLogout` returns the server's response to the logout. */
const openChatRoute = async (respondToLogout: () => Promise<undefined> | Refusal) => {
  const server = fakeServer({
    [`GET /api/user/${me.id}`]: { user: me },
    [`GET /api/friends/${me.id}`]: [],
    [`GET /api/friends/requests/${me.id}`]: [],
    [`GET /api/private-messages/unread-counts/${me.id}`]: {},
    [`GET /api/notices/${me.id}`]: [],
    'POST /api/logout': respondToLogout,
  });
  signIn(me);
  render(
    <MemoryRouter initialEntries={['/chat']}>
      <Routes>
        <Route path="/chat" element={<ChatRoute />} />
        <Route path="/auth" element={<p>the sign-in page</p>} />
      </Routes>
    </MemoryRouter>,
  );
  expect(await screen.findByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  return server;
};

const logOut = (): Promise<void> => userEvent.click(screen.getByRole('button', { name: 'Logout' }));

beforeEach(() => {
  // A failed logout logs a warning.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  // A wide window, in which the sidebar is next to the chat.
  const mediaQueryList = window.matchMedia('');
  jest.spyOn(window, 'matchMedia').mockReturnValue({ ...mediaQueryList, matches: true });
});
afterEach(() => {
  act(() => signOut());
  jest.restoreAllMocks();
});

it('signs out even if the server refuses the logout because of a rate limit', async () => {
  const server = await openChatRoute(
    () => new Refusal(429, { code: 'rate_limited', message: 'Too many requests' }),
  );
  await logOut();
  expect(await screen.findByText('the sign-in page')).toBeVisible();
  expect(currentUser()).toBeNull();
  expect(server.count('POST', '/api/logout')).toBe(1);
});

it('shows that the logout is in progress, and signs out after four seconds without a response', async () => {
  // The test ends the timeout of the logout by `abort`.
  const timeoutController = new AbortController();
  const { signal } = timeoutController;
  const timeoutSpy = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);
  /** Fails as `fetch` does when its timeout ends before the response. */
  const failAtTimeout = (): Promise<undefined> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('Timed out', 'TimeoutError')));
    });
  await openChatRoute(failAtTimeout);
  // Forgets the timeouts of the requests that opened the page.
  timeoutSpy.mockClear();
  await logOut();
  expect(timeoutSpy).toHaveBeenCalledWith(4_000);
  expect(await screen.findByText('Logging out…')).toBeVisible();
  expect(currentUser()).toEqual(me);
  act(() => timeoutController.abort());
  expect(await screen.findByText('the sign-in page')).toBeVisible();
  expect(currentUser()).toBeNull();
});
