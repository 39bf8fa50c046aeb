import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { DownloadMyData } from '@/features/my-data/export/components/download-my-data';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { useToasts } from '@/ui/toast-store';

const exportRoute = `POST /api/my-data/${aUser().id}/export` as const;
const readyExport = {
  url: '/api/my-data/exports/AAAAAAAAAAAAAAAAAAAAAA',
  expiresAt: '2026-11-20T12:10:00.000Z',
};
const registeredUser = aUser({ isAnonymous: false, email: 'ada@example.org' });
const anonymousUser = aUser({ isAnonymous: true, email: null });
const getToast = () => useToasts.getState().shown;

let downloads: { url: string | null; fileName: string }[];

beforeEach(() => {
  // A download that does not start logs a warning.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  downloads = [];
  // jsdom downloads nothing.
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push({ url: this.getAttribute('href'), fileName: this.download });
  });
  useToasts.setState({ shown: null });
});
afterEach(() => jest.restoreAllMocks());

const openDialog = async () => {
  render(<DownloadMyData user={registeredUser} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Download my data' }));
  return { user, dialog: await screen.findByRole('dialog', { name: 'Download my data' }) };
};

const clickAsAnonymousUser = async () => {
  render(<DownloadMyData user={anonymousUser} isRow />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Download my data' }));
  return user;
};

it('asks a registered user for the password before the download', async () => {
  const server = fakeServer({ [exportRoute]: readyExport });
  const { user, dialog } = await openDialog();
  expect(screen.getByRole('button', { name: 'Download' })).toBeDisabled();
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(server.calls.map(({ body }) => body)).toEqual([{ currentPassword: 'correct horse' }]);
  expect(downloads).toEqual([{ url: readyExport.url, fileName: 'thaw-my-data.jsonl' }]);
  expect(getToast()?.title).toBe('Your download has started');
});

it('keeps its dialog open until the download starts', async () => {
  // The server does not respond until the test calls this function.
  let respond = (_response: object): void => undefined;
  fakeServer({ [exportRoute]: () => new Promise<object>((resolve) => (respond = resolve)) });
  const { user, dialog } = await openDialog();
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
  expect(screen.getByRole('button', { name: 'Preparing...' })).toBeDisabled();
  await user.keyboard('{Escape}');
  expect(dialog).toBeVisible();
  expect(downloads).toEqual([]);
  respond(readyExport);
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(downloads).toHaveLength(1);
});

it('says why the download did not start, and lets the user try again', async () => {
  const server = fakeServer({ [exportRoute]: new Refusal(403, { message: 'The password is wrong.' }) });
  const { user } = await openDialog();
  await user.type(screen.getByLabelText('Password'), 'wrong horse{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('The password is wrong.');
  // The page replaces the message of the server by one that names the limit.
  server.routes[exportRoute] = new Refusal(429, { message: 'That was too fast.' });
  await user.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('three times a day'));
  expect(downloads).toEqual([]);
});

it('starts without a dialog for an anonymous user, who can download again afterwards', async () => {
  const server = fakeServer({ [exportRoute]: readyExport });
  const user = await clickAsAnonymousUser();
  await waitFor(() => expect(downloads).toHaveLength(1));
  expect(server.calls.map(({ body }) => body)).toEqual([{}]);
  await user.click(await screen.findByRole('button', { name: 'Download my data' }));
  await waitFor(() => expect(downloads).toHaveLength(2));
});

it('shows an anonymous user a toast when the download cannot start, and leaves the focus on the button', async () => {
  fakeServer({ [exportRoute]: new Refusal(503, { message: 'The service is busy.' }) });
  await clickAsAnonymousUser();
  await waitFor(() =>
    expect(getToast()).toMatchObject({ title: 'Not downloaded', description: 'The service is busy.' }),
  );
  // The button is not disabled while the download is prepared, so it keeps the focus.
  expect(await screen.findByRole('button', { name: 'Download my data' })).toHaveFocus();
});
