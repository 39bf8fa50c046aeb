import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { GenderModal } from '@/features/profile/components/gender-modal';
import { createQueryClient } from '@/lib/query-client';
import { signIn, signOut, useIdentity } from '@/product/identity';
import { aUser } from '@/testing/factories';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();

const CurrentUserModal = () => {
  const user = useIdentity((state) => state.user);
  return user ? <GenderModal user={user} /> : null;
};

const openModal = () => {
  signIn(aUser({ id: 7, gender: null }));
  render(
    <QueryClientProvider client={createQueryClient()}>
      <CurrentUserModal />
    </QueryClientProvider>,
  );
  return userEvent.setup();
};

beforeEach(() => {
  fetchMock.mockReset();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
});
afterEach(() => signOut());

it('cannot be dismissed', async () => {
  const user = openModal();
  expect(screen.getByRole('dialog', { name: 'Select Your Gender' })).toBeVisible();
  await user.keyboard('{Escape}');
  fireEvent.pointerDown(document.body);
  fireEvent.click(document.body);
  expect(screen.getByRole('dialog')).toBeVisible();
  expect(screen.queryByRole('button', { name: /close/i })).not.toBeInTheDocument();
});

it('disables Confirm until a gender is chosen', async () => {
  const user = openModal();
  const confirm = screen.getByRole('button', { name: 'Confirm' });
  expect(confirm).toBeDisabled();
  await user.click(screen.getByRole('radio', { name: 'Man' }));
  expect(confirm).toBeEnabled();
});

it('saves the choice and closes', async () => {
  const user = openModal();
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify({ user: aUser({ gender: 'female' }) })));
  await user.click(screen.getByRole('radio', { name: 'Woman' }));
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/user/7');
  expect(fetchMock.mock.calls[0]?.[1]).toMatchObject({ method: 'PATCH', body: '{"gender":"female"}' });
});

it('stays open and shows an error when saving fails', async () => {
  const user = openModal();
  fetchMock.mockResolvedValueOnce(new Response('no', { status: 500 }));
  await user.click(screen.getByRole('radio', { name: 'Woman' }));
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('That did not work. Please try again.');
  expect(screen.getByRole('button', { name: 'Confirm' })).toBeEnabled();
});

it('applies the gender that was chosen on another device', async () => {
  const user = openModal();
  fetchMock.mockResolvedValueOnce(new Response('{"code":"gender_already_set"}', { status: 409 }));
  // The page then fetches the user. GET returns the bare user, whereas PATCH returns `{ user }`.
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(aUser({ gender: 'male' }))));
  await user.click(screen.getByRole('radio', { name: 'Woman' }));
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(useIdentity.getState().user?.gender).toBe('male'));
});
