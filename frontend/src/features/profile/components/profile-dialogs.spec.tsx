import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { ProfileDialogs } from '@/features/profile/components/profile-dialogs';
import {
  closeProfileDialog,
  openAnonymousConversion,
  openAnonymousPrompt,
  openProfileSettings,
} from '@/features/profile/profile-dialogs.store';
import { createQueryClient } from '@/lib/query-client';
import { signIn, signOut, useIdentity } from '@/product/identity';
import { isSoundOn } from '@/product/sound-choice';
import { aUser } from '@/testing/factories';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();
const onLogout = jest.fn();
/** Delay between the choice of the gender and the offer of an account. */
const offerDelayMs = 500;
/** Long after any dialog would have opened. */
const longMs = 60_000;

const CurrentUserDialogs = () => {
  const user = useIdentity((state) => state.user);
  return user ? <ProfileDialogs user={user} onLogout={onLogout} /> : null;
};
const advanceTime = (ms: number): Promise<void> =>
  act(async () => {
    await jest.advanceTimersByTimeAsync(ms);
  });
const flushUpdates = (): Promise<void> => advanceTime(0);
/** Opens the page; by default for an anonymous user who has chosen a gender. */
const openPage = async (changes = {}): Promise<void> => {
  signIn(aUser(changes));
  render(
    <QueryClientProvider client={createQueryClient()}>
      <CurrentUserDialogs />
    </QueryClientProvider>,
  );
  await flushUpdates();
};
const queryDialog = (name: string): HTMLElement | null => screen.queryByRole('dialog', { name });
const click = async (name: string, role = 'button'): Promise<void> => {
  fireEvent.click(screen.getByRole(role, { name }));
  await flushUpdates();
};
/** Chooses a gender in the dialog; the server responds with the saved user, who is anonymous by default. */
const chooseGender = async (changes = {}): Promise<void> => {
  fetchMock.mockResolvedValueOnce(
    new Response(JSON.stringify({ user: aUser({ gender: 'male', ...changes }) })),
  );
  await click('Man', 'radio');
  await click('Confirm');
};

/**
 * Opens the page for an anonymous user, and submits the form of Create Your Account.
 * @returns a function that makes the server refuse the request
 */
const submitAccountForm = async (): Promise<() => Promise<void>> => {
  await openPage();
  act(openAnonymousConversion);
  await flushUpdates();
  // The same text is valid as the email and as both passwords.
  for (const label of ['Email', 'Password', 'Confirm Password']) {
    fireEvent.change(screen.getByLabelText(label), { target: { value: 'ada@example.com' } });
  }
  let respond: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
  await click('Create Account');
  return async () => {
    respond(new Response('{}', { status: 500 }));
    await flushUpdates();
  };
};

beforeEach(() => {
  jest.useFakeTimers();
  jest.resetAllMocks();
  localStorage.clear();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
});
afterEach(() => {
  act(closeProfileDialog);
  signOut();
  jest.useRealTimers();
});

it('offers an anonymous user an account once, 500 ms after they chose their gender', async () => {
  await openPage({ gender: null });
  await chooseGender();
  expect(queryDialog('Select Your Gender')).toBeNull();
  await advanceTime(offerDelayMs - 1);
  expect(queryDialog('Anonymous Account')).toBeNull();
  await advanceTime(1);
  expect(queryDialog('Anonymous Account')).toBeVisible();
  await click('Maybe Later');
  expect(queryDialog('Anonymous Account')).toBeNull();
  await advanceTime(longMs);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('offers no account to a registered user', async () => {
  await openPage({ gender: null, isAnonymous: false });
  await chooseGender({ isAnonymous: false });
  await advanceTime(longMs);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('offers no account to a user who chose the gender earlier', async () => {
  await openPage({ gender: 'male' });
  await advanceTime(longMs);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('opens Create Your Account from the offer', async () => {
  await openPage({ gender: null });
  await chooseGender();
  await advanceTime(offerDelayMs);
  await click('Create Account');
  expect(queryDialog('Anonymous Account')).toBeNull();
  expect(queryDialog('Create Your Account')).toBeVisible();
});

it.each([
  ['?dialog=anonymous', openAnonymousPrompt],
  ['?dialog=account', openAnonymousConversion],
])(
  'shows a registered user no dialog for anonymous users, although the address contains %s',
  async (_address, open) => {
    await openPage({ isAnonymous: false });
    act(open);
    await flushUpdates();
    expect(screen.queryByRole('dialog')).toBeNull();
  },
);

it('asks for a missing gender instead of opening Profile Settings', async () => {
  await openPage({ gender: null });
  act(openProfileSettings);
  await flushUpdates();
  expect(queryDialog('Profile Settings')).toBeNull();
  expect(queryDialog('Select Your Gender')).toBeVisible();
});

it('keeps Create Your Account open during the request: the X, Escape and a click outside have no effect', async () => {
  await submitAccountForm();
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  fireEvent.keyDown(document, { key: 'Escape' });
  fireEvent.pointerDown(document.body);
  fireEvent.click(document.body);
  // A closing dialog would have disappeared by now.
  await advanceTime(1_000);
  expect(queryDialog('Create Your Account')).toBeVisible();
});

it('lets the user close Create Your Account after a failed request', async () => {
  const refuseRequest = await submitAccountForm();
  await refuseRequest();
  expect(screen.getByRole('button', { name: 'Close' })).toBeEnabled();
  // The input is unsaved, so the dialog asks before it closes.
  fireEvent.keyDown(document, { key: 'Escape' });
  await flushUpdates();
  await click('Discard');
  await flushUpdates();
  expect(queryDialog('Create Your Account')).toBeNull();
});

it('shows an anonymous user one tab in Profile Settings and a warning that opens Create Your Account', async () => {
  await openPage();
  act(openProfileSettings);
  await flushUpdates();
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Profile']);
  expect(screen.getByText(/not saved permanently/)).toBeVisible();
  await click('Create Account');
  expect(queryDialog('Profile Settings')).toBeNull();
  expect(queryDialog('Create Your Account')).toBeVisible();
});

it('shows a registered user all tabs and no warning in Profile Settings', async () => {
  await openPage({ isAnonymous: false, email: 'ada@example.com' });
  act(openProfileSettings);
  await flushUpdates();
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
    'Profile',
    'Email',
    'Password',
  ]);
  expect(screen.queryByText(/not saved permanently/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'Create Account' })).toBeNull();
});

it('lets the user choose the theme, switch the sound on and log out in Profile Settings', async () => {
  await openPage();
  act(openProfileSettings);
  await flushUpdates();
  expect(screen.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await click('Light', 'radio');
  expect(localStorage.getItem('thaw-theme')).toBe('light');
  expect(screen.getByRole('switch', { name: 'Sound' })).not.toBeChecked();
  await click('Sound', 'switch');
  expect(screen.getByRole('switch', { name: 'Sound' })).toBeChecked();
  expect(isSoundOn()).toBe(true);
  await click('Logout');
  expect(onLogout).toHaveBeenCalledTimes(1);
});
