import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { resetAccountDeletion, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { DeleteAccount } from '@/features/my-data/deletion/components/delete-account';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { useToasts } from '@/ui/toast-store';

/** 7 is the id of `aUser`. */
const erasureRoute = 'POST /api/user/7/erasure';
const receiptId = 'AAAAAAAAAAAAAAAAAAAAAA';
const registeredUser = aUser({ isAnonymous: false, email: 'ada@example.org' });
const anonymousUser = aUser({ isAnonymous: true, email: null });

beforeEach(() => {
  // `deleteAccount` logs every failure.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  resetAccountDeletion();
});
afterEach(() => act(() => signOut()));

const openDialog = async (user: typeof registeredUser) => {
  signIn(user);
  render(<DeleteAccount user={user} />);
  const actions = userEvent.setup();
  await actions.click(screen.getByRole('button', { name: 'Delete account' }));
  return {
    actions,
    dialog: await screen.findByRole('dialog', { name: 'Delete your account?' }),
    submit: screen.getByRole('button', { name: 'Delete account forever' }),
  };
};

it('asks an anonymous user to type DELETE, signs them out, and keeps the id of the receipt', async () => {
  const server = fakeServer({ [erasureRoute]: { receiptId } });
  const { actions, submit } = await openDialog(anonymousUser);
  const field = screen.getByLabelText('Type DELETE to confirm');
  expect(submit).toBeDisabled();
  await actions.type(field, 'delete{Enter}');
  expect(submit).toBeDisabled();
  expect(server.calls).toEqual([]);
  await actions.clear(field);
  await actions.type(field, 'DELETE');
  await actions.click(submit);
  await waitFor(() => expect(currentUser()).toBeNull());
  expect(server.calls[0]?.body).toEqual({ confirm: 'DELETE' });
  expect(useAccountDeletion.getState()).toEqual({ isPending: false, receiptId, failure: null });
});

it('asks a registered user for the password, and cannot be closed while the request is pending', async () => {
  let respond: (response: object) => void = () => undefined;
  const pendingResponse = new Promise<object>((resolve) => {
    respond = resolve;
  });
  const server = fakeServer({ [erasureRoute]: () => pendingResponse });
  const { actions, dialog } = await openDialog(registeredUser);
  await actions.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
  expect(screen.getByRole('button', { name: 'Deleting...' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  await actions.keyboard('{Escape}');
  expect(dialog).toBeVisible();
  expect(server.calls.map(({ body }) => body)).toEqual([{ currentPassword: 'correct horse' }]);
  await act(async () => respond({ receiptId }));
  await waitFor(() => expect(useAccountDeletion.getState().receiptId).toBe(receiptId));
});

/** What `fetch` does when the server is unreachable. */
const failToFetch = () => Promise.reject(new TypeError('Failed to fetch'));

it.each([
  ['the password is wrong', new Refusal(403, { message: 'Wrong password.' }), 'Wrong password.'],
  ['the server refuses', new Refusal(409, { message: 'Not now.' }), 'Not now.'],
  [
    'there were too many attempts',
    new Refusal(429, { message: 'That was too fast. Please wait a moment.' }),
    'That was too fast. Please wait a moment.',
  ],
  ['the server fails', new Refusal(502, 'Bad Gateway'), 'Your account was not deleted. Please try again.'],
  ['the server is unreachable', failToFetch, 'The server did not answer. Please try again.'],
])(
  'when %s, shows a message, keeps the session, and allows another try',
  async (_title, response, message) => {
    const server = fakeServer({ [erasureRoute]: response });
    const { actions, dialog } = await openDialog(registeredUser);
    await actions.type(screen.getByLabelText('Password'), 'any password{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent(message);
    expect(dialog).toBeVisible();
    expect(currentUser()?.id).toBe(registeredUser.id);
    server.routes[erasureRoute] = { receiptId };
    await actions.click(screen.getByRole('button', { name: 'Delete account forever' }));
    await waitFor(() => expect(currentUser()).toBeNull());
  },
);

it('says that the response was lost when the request fails after the session has ended', async () => {
  fakeServer({
    [erasureRoute]: () => {
      // The server ends the session before its response is lost.
      signOut();
      return failToFetch();
    },
  });
  const { actions } = await openDialog(registeredUser);
  await actions.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
  await waitFor(() =>
    expect(useToasts.getState().shown).toMatchObject({
      title: 'You are signed out',
      description: expect.stringMatching(/^The answer of the server was lost/),
    }),
  );
});
