import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { DownloadMyData } from '@/features/my-data/export/components/download-my-data';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { useToasts } from '@/ui/toast-store';

const path = 'POST /api/my-data/7/export';
const ready = { url: '/api/my-data/exports/AAAAAAAAAAAAAAAAAAAAAA', expiresAt: '2026-11-20T12:10:00.000Z' };
const registered = aUser({ isAnonymous: false, email: 'ada@example.org' });
const anonymous = aUser({ isAnonymous: true, email: null });
const shown = () => useToasts.getState().shown;

let downloads: { address: string | null; fileName: string }[];

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  downloads = [];
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push({ address: this.getAttribute('href'), fileName: this.download });
  });
  useToasts.setState({ shown: null });
});
afterEach(() => jest.restoreAllMocks());

const openDialog = async () => {
  render(<DownloadMyData user={registered} />);
  const pointer = userEvent.setup();
  await pointer.click(screen.getByRole('button', { name: 'Download my data' }));
  return { pointer, dialog: await screen.findByRole('dialog', { name: 'Download my data' }) };
};

it('asks a registered user for the password, and leaves the download to the browser', async () => {
  let respond = (_response: object): void => undefined;
  const server = fakeServer({ [path]: () => new Promise<object>((resolve) => (respond = resolve)) });
  const { pointer, dialog } = await openDialog();
  expect(screen.getByRole('button', { name: 'Download' })).toBeDisabled();
  await pointer.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
  expect(screen.getByRole('button', { name: 'Preparing...' })).toBeDisabled();
  await pointer.keyboard('{Escape}');
  expect(dialog).toBeVisible();
  expect(server.calls.map(({ body }) => body)).toEqual([{ currentPassword: 'correct horse' }]);
  respond(ready);
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(downloads).toEqual([{ address: ready.url, fileName: 'thaw-my-data.jsonl' }]);
  expect(shown()?.title).toBe('Your download has started');
});

it('says why it failed, and lets the user try again', async () => {
  const server = fakeServer({ [path]: new Refusal(403, { message: 'The password is wrong.' }) });
  const { pointer } = await openDialog();
  await pointer.type(screen.getByLabelText('Password'), 'wrong horse{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('The password is wrong.');
  server.routes[path] = new Refusal(429, { message: 'That was too fast.' });
  await pointer.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('three times a day'));
  expect(downloads).toEqual([]);
});

it('starts at once for an anonymous user, and says so when it cannot', async () => {
  const server = fakeServer({ [path]: ready });
  render(<DownloadMyData user={anonymous} isRow />);
  const pointer = userEvent.setup();
  await pointer.click(screen.getByRole('button', { name: 'Download my data' }));
  await waitFor(() => expect(downloads).toHaveLength(1));
  expect(server.calls.map(({ body }) => body)).toEqual([{}]);
  server.routes[path] = new Refusal(503, { message: 'The service is busy.' });
  await pointer.click(await screen.findByRole('button', { name: 'Download my data' }));
  await waitFor(() =>
    expect(shown()).toMatchObject({ title: 'Not downloaded', description: 'The service is busy.' }),
  );
  expect(screen.getByRole('button', { name: 'Download my data' })).toHaveFocus();
});
