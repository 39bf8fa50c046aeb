import { act, waitFor } from '@testing-library/react';
import { useSessionCheck } from '@/app/use-session-check';
import { currentUser, mergeIntoUser, signIn } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

const storedUser = aUser({ id: 7, username: 'stored', gender: null });

const SessionCheck = () => {
  useSessionCheck(storedUser.id);
  return null;
};

beforeEach(() => signIn(storedUser));

it('replaces the stored user with the one that the server returns', async () => {
  fakeServer({ 'GET /api/user/7': { ...storedUser, username: 'on the server' } });
  renderWithCache(<SessionCheck />);
  await waitFor(() => expect(currentUser()?.username).toBe('on the server'));
});

it('applies the response except a name that was pushed before the response arrived', async () => {
  let respond: (user: object) => void = () => undefined;
  const heldResponse = new Promise<object>((resolve) => (respond = resolve));
  const server = fakeServer({ 'GET /api/user/7': () => heldResponse });
  renderWithCache(<SessionCheck />);
  await waitFor(() => expect(server.calls).toHaveLength(1));
  act(() => mergeIntoUser({ username: 'pushed' }));
  respond({ ...storedUser, gender: 'female' });
  await waitFor(() => expect(currentUser()?.gender).toBe('female'));
  expect(currentUser()?.username).toBe('pushed');
});

it("takes the server's standing although another tab has stored the user again in the meantime", async () => {
  let respond: (user: object) => void = () => undefined;
  const heldResponse = new Promise<object>((resolve) => (respond = resolve));
  const server = fakeServer({ 'GET /api/user/7': () => heldResponse });
  renderWithCache(<SessionCheck />);
  await waitFor(() => expect(server.calls).toHaveLength(1));
  // A new object with the same content, as it is read from localStorage.
  act(() => mergeIntoUser({ standing: structuredClone(storedUser.standing) }));
  respond({ ...storedUser, standing: { ...storedUser.standing, kind: 'care' } });
  await waitFor(() => expect(currentUser()?.standing.kind).toBe('care'));
});

it.each([401, 404])('signs out when the server responds with %p', async (status) => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  fakeServer({ 'GET /api/user/7': new Refusal(status) });
  renderWithCache(<SessionCheck />);
  await waitFor(() => expect(currentUser()).toBeNull());
  warn.mockRestore();
});
