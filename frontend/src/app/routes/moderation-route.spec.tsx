import { render, screen, waitFor } from '@testing-library/react';
import { BrowserRouter } from 'react-router-dom';
import { ModerationRoute } from '@/app/routes/moderation-route';
import { queryClient } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';

/** `aUser` creates the user 7. */
const userUrl = '/api/user/7';
const userRoute = `GET ${userUrl}` as const;
const queueRoute = 'GET /api/moderation/cases?state=open&limit=50' as const;
const noCases = { cases: [], nextCursor: null };

beforeEach(() => {
  // The page logs refused requests.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  window.history.replaceState(null, '', '/moderation');
  queryClient.clear();
  signOut();
});
afterEach(() => jest.restoreAllMocks());

const openModeration = () =>
  render(
    <BrowserRouter>
      <ModerationRoute />
    </BrowserRouter>,
  );
const findNotFoundPage = () => screen.findByRole('heading', { name: 'Page Not Found' });

it('shows Not Found to a visitor, and sends no request', async () => {
  const server = fakeServer({});
  openModeration();
  expect(await findNotFoundPage()).toBeVisible();
  expect(server.calls).toEqual([]);
});

it('shows Not Found to a user who is not a moderator', async () => {
  const server = fakeServer({ [userRoute]: { user: aUser() } });
  signIn(aUser());
  openModeration();
  expect(await findNotFoundPage()).toBeVisible();
  expect(server.calls.map(({ url }) => url)).toEqual([userUrl]);
});

it('shows the moderation tool to a user who became a moderator after signing in', async () => {
  fakeServer({ [userRoute]: { user: aUser({ isModerator: true }) }, [queueRoute]: noCases });
  signIn(aUser());
  openModeration();
  expect(await screen.findByText('Nothing waits. Thank you.')).toBeVisible();
  expect(screen.queryByText('Page Not Found')).toBeNull();
  expect(currentUser()?.isModerator).toBe(true);
});

it('shows Not Found to a user who is no longer a moderator', async () => {
  fakeServer({ [userRoute]: { user: aUser() }, [queueRoute]: new Refusal(403, { code: 'forbidden' }) });
  signIn(aUser({ isModerator: true }));
  openModeration();
  expect(await findNotFoundPage()).toBeVisible();
  await waitFor(() => expect(document.title).toBe('Page Not Found · Thaw'));
});
