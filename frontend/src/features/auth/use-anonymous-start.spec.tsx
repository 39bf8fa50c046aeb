import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { currentUser, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { useToasts } from '@/ui/toast-store';

const failureToast = { title: 'no', description: 'not today' };

/** Renders a page with the button. The code of /chat is loaded when the test calls `finishLoadingChat`. */
const openPage = () => {
  let finishLoadingChat: () => void = () => undefined;
  const chatIsLoaded = new Promise<void>((resolve) => (finishLoadingChat = resolve));
  const Page = () => {
    const { start, isStarting } = useAnonymousStart(failureToast, () => chatIsLoaded);
    return (
      <button type="button" disabled={isStarting} onClick={start}>
        {isStarting ? 'Starting...' : 'Join Anonymously'}
      </button>
    );
  };
  render(
    <MemoryRouter>
      <Routes>
        <Route path="/" element={<Page />} />
        <Route path="/chat" element={<p>the chat</p>} />
      </Routes>
    </MemoryRouter>,
  );
  return { finishLoadingChat };
};

// The hook logs a start that fails.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  act(() => signOut());
  jest.restoreAllMocks();
});

it("shows 'Starting...' until /chat is loaded, and signs in only then", async () => {
  const { calls } = fakeServer({ 'POST /api/anonymous': { user: aUser() } });
  const { finishLoadingChat } = openPage();
  await userEvent.click(screen.getByRole('button', { name: 'Join Anonymously' }));
  // Lets the page process the response of the server.
  await act(async () => Promise.resolve());
  expect(calls).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Starting...' })).toBeDisabled();
  // Other tabs apply a sign-in immediately, so the hook signs in only when this tab can show /chat.
  expect(currentUser()).toBeNull();
  await act(async () => {
    finishLoadingChat();
    await Promise.resolve();
  });
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(currentUser()).toEqual(aUser());
});

it('shows a toast and enables the button again when the session cannot be started', async () => {
  fakeServer({ 'POST /api/anonymous': new Refusal(503) });
  openPage();
  await userEvent.click(screen.getByRole('button', { name: 'Join Anonymously' }));
  expect(await screen.findByRole('button', { name: 'Join Anonymously' })).toBeEnabled();
  expect(useToasts.getState().shown).toMatchObject(failureToast);
});
