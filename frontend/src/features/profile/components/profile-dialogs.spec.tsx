import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { ProfileDialogs } from '@/features/profile/components/profile-dialogs';
import {
  closeProfileDialog,
  openConversion,
  openProfileSettings,
} from '@/features/profile/profile-dialogs.store';
import { createQueryClient } from '@/lib/query-client';
import { signIn, signOut, useIdentity } from '@/product/identity';
import { isSoundOn } from '@/product/sound-choice';
import { aUser } from '@/testing/factories';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();
const onLogout = jest.fn();

const Mine = () => {
  const user = useIdentity((state) => state.user);
  return user ? <ProfileDialogs user={user} onLogout={onLogout} /> : null;
};
const settle = (): Promise<void> => act(async () => void (await jest.advanceTimersByTimeAsync(0)));
const pass = (ms: number): Promise<void> => act(async () => void (await jest.advanceTimersByTimeAsync(ms)));
const open = async (changes = {}): Promise<void> => {
  signIn(aUser(changes));
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Mine />
    </QueryClientProvider>,
  );
  await settle();
};
const dialog = (name: string): HTMLElement | null => screen.queryByRole('dialog', { name });
const click = async (name: string, role = 'button'): Promise<void> => {
  fireEvent.click(screen.getByRole(role, { name }));
  await settle();
};
const chooseGender = async (answered = {}): Promise<void> => {
  fetchMock.mockResolvedValueOnce(
    new Response(JSON.stringify({ user: aUser({ gender: 'male', ...answered }) })),
  );
  await click('Man', 'radio');
  await click('Confirm');
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

it('offers an account 500 ms after the gender was chosen, once', async () => {
  await open({ gender: null });
  await chooseGender();
  expect(dialog('Select Your Gender')).toBeNull();
  await pass(499);
  expect(dialog('Anonymous Account')).toBeNull();
  await pass(1);
  expect(dialog('Anonymous Account')).toBeVisible();
  await click('Maybe Later');
  expect(dialog('Anonymous Account')).toBeNull();
  await pass(60_000);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('offers no account to a registered user', async () => {
  await open({ gender: null, isAnonymous: false });
  await chooseGender({ isAnonymous: false });
  await pass(60_000);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('offers no account to a user who chose the gender earlier', async () => {
  await open();
  await pass(60_000);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('opens Create Your Account from the offer', async () => {
  await open({ gender: null });
  await chooseGender();
  await pass(500);
  await click('Create Account');
  expect(dialog('Anonymous Account')).toBeNull();
  expect(dialog('Create Your Account')).toBeVisible();
});

it('asks for the gender before it opens any other dialog (A166)', async () => {
  await open({ gender: null });
  act(openProfileSettings);
  await settle();
  expect(dialog('Profile Settings')).toBeNull();
  expect(dialog('Select Your Gender')).toBeVisible();
});

it('cannot be closed by Esc, the X or a click outside while the conversion is pending', async () => {
  await open();
  act(openConversion);
  await settle();
  for (const label of ['Email', 'Password', 'Confirm Password']) {
    fireEvent.change(screen.getByLabelText(label), { target: { value: 'ada@example.com' } });
  }
  let finish: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
  await click('Create Account');
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  fireEvent.keyDown(document, { key: 'Escape' });
  fireEvent.pointerDown(document.body);
  fireEvent.click(document.body);
  await pass(1_000);
  expect(dialog('Create Your Account')).toBeVisible();

  finish(new Response('{}', { status: 500 }));
  await settle();
  expect(screen.getByRole('button', { name: 'Close' })).toBeEnabled();
  // Unsaved input needs a confirmation first.
  fireEvent.keyDown(document, { key: 'Escape' });
  await settle();
  await click('Discard');
  await settle();
  expect(dialog('Create Your Account')).toBeNull();
});

it('shows an anonymous user the warning and no Email and Password tabs', async () => {
  await open();
  act(openProfileSettings);
  await settle();
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Profile']);
  expect(screen.getByText(/not saved permanently/)).toBeVisible();
  await click('Create Account');
  expect(dialog('Profile Settings')).toBeNull();
  expect(dialog('Create Your Account')).toBeVisible();
});

it('shows a registered user all tabs and no warning', async () => {
  await open({ isAnonymous: false, email: 'ada@example.com' });
  act(openProfileSettings);
  await settle();
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
    'Profile',
    'Email',
    'Password',
  ]);
  expect(screen.queryByText(/not saved permanently/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'Create Account' })).toBeNull();
});

it('contains the theme, the sound and the logout', async () => {
  await open();
  act(openProfileSettings);
  await settle();
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
