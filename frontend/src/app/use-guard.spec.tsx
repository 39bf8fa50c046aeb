import { act, waitFor } from '@testing-library/react';
import { useGuard } from '@/app/use-guard';
import { currentUser, mergeIntoUser, signIn } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const Guard = () => {
  useGuard(7);
  return null;
};

const stored = aUser({ id: 7, username: 'stored', gender: null });

beforeEach(() => signIn(stored));

it('stores the user that the server returns', async () => {
  fakeServer({ 'GET /api/user/7': { ...stored, username: 'on the server' } });
  renderWithCache(<Guard />);
  await waitFor(() => expect(currentUser()?.username).toBe('on the server'));
});

it('keeps a name that is pushed before the response, and takes the rest from the response', async () => {
  let answer: (user: object) => void = () => undefined;
  const held = new Promise<object>((resolve) => (answer = resolve));
  const server = fakeServer({ 'GET /api/user/7': () => held });
  renderWithCache(<Guard />);
  await waitFor(() => expect(server.calls).toHaveLength(1));
  act(() => mergeIntoUser({ username: 'pushed' }));
  answer({ ...stored, gender: 'female' });
  await waitFor(() => expect(currentUser()?.gender).toBe('female'));
  expect(currentUser()?.username).toBe('pushed');
});

it.each([401, 404])('signs out when the server responds with %p', async (status) => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  fakeServer({ 'GET /api/user/7': new Refusal(status) });
  renderWithCache(<Guard />);
  await waitFor(() => expect(currentUser()).toBeNull());
  warn.mockRestore();
});
