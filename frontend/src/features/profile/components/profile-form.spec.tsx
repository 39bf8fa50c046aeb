import { act, fireEvent, render, screen } from '@testing-library/react';
import { ProfileForm } from '@/features/profile/components/profile-form';
import { onAppEvent } from '@/product/app-events';
import { currentUser, mergeIntoUser, signIn, signOut, useIdentity } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { useToasts } from '@/ui/toast-store';

const uploadMock = jest.fn<Promise<string>, [File, string, string]>();
jest.mock('@/product/pictures/upload-image', () => ({
  uploadImage: (...given: [File, string, string]) => uploadMock(...given),
}));
const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();

const Mine = () => {
  const user = useIdentity((state) => state.user);
  return user ? <ProfileForm user={user} /> : null;
};
const open = (changes = {}): void => {
  signIn(aUser({ username: 'quiet-otter-42', ...changes }));
  render(<Mine />);
};
const button = (): HTMLElement =>
  screen.getAllByRole('button').find((one) => one.getAttribute('type') === 'submit')!;
const username = (): HTMLInputElement => screen.getByLabelText('Username');
const type = (text: string): void => void fireEvent.change(username(), { target: { value: text } });
const settle = (): Promise<void> => act(async () => void (await jest.advanceTimersByTimeAsync(0)));
const pass = (ms: number): void => act(() => jest.advanceTimersByTime(ms));
const answer = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
const save = async (): Promise<void> => {
  fireEvent.click(button());
  await settle();
};
const choose = async (file: File): Promise<void> => {
  fireEvent.change(screen.getByLabelText('Profile picture', { selector: 'input' }), {
    target: { files: [file] },
  });
  await settle();
};
const imageOf = (bytes: number): File => {
  const file = new File(['x'], 'me.png', { type: 'image/png' });
  Object.defineProperty(file, 'size', { value: bytes });
  return file;
};
const shownToast = () => {
  const { title, description } = useToasts.getState().shown ?? {};
  return { title, description };
};
const url = '/api/files/avatars/profiles/00000000-0000-4000-8000-000000000000.webp';

beforeEach(() => {
  jest.useFakeTimers();
  fetchMock.mockReset();
  uploadMock.mockReset();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  signOut();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it("shows a disabled 'No changes' while nothing but surrounding blanks has changed", () => {
  open();
  expect(button()).toHaveTextContent('No changes');
  expect(button()).toBeDisabled();
  type(' quiet-otter-42 ');
  expect(button()).toBeDisabled();
  type('ada');
  expect(button()).toBeEnabled();
  type('quiet-otter-42');
  expect(button()).toHaveTextContent('No changes');
});

it('does not save a blank name', () => {
  open();
  type('   ');
  expect(button()).toBeDisabled();
  fireEvent.submit(username().form!);
  expect(fetchMock).not.toHaveBeenCalled();
});

it("shows 'Saving...', then 'Saved!' for 2 s; sends PUT, then GET, and updates the user", async () => {
  open();
  const raised = jest.fn();
  const stop = onAppEvent('profileUpdated', raised);
  answer(200, { user: aUser({ username: 'Ada' }) });
  let read: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (read = resolve)));
  type(' Ada ');
  await save();
  expect(button()).toHaveTextContent('Saving...');
  expect(button()).toBeDisabled();
  read(new Response(JSON.stringify(aUser({ username: 'Ada Lovelace' }))));
  await settle();
  expect(fetchMock.mock.calls.map(([address, { method, body }]) => [method, address, body])).toEqual([
    ['PUT', '/api/user/7', '{"username":"Ada","avatar":null}'],
    ['GET', '/api/user/7', undefined],
  ]);
  expect(currentUser()?.username).toBe('Ada Lovelace');
  expect(username().value).toBe('Ada Lovelace');
  expect(raised).toHaveBeenCalledWith({ userId: 7 });
  expect(button()).toHaveTextContent('Saved!');
  expect(button()).toBeDisabled();
  expect(screen.getByRole('status')).toHaveTextContent('Saved!');
  pass(1_999);
  expect(button()).toHaveTextContent('Saved!');
  pass(1);
  expect(button()).toHaveTextContent('No changes');
  stop();
});

it("shows 'Error saving' for 3 s, and can be tried again", async () => {
  open();
  answer(400, { code: 'validation_failed' });
  type('admin');
  await save();
  expect(button()).toHaveTextContent('Error saving');
  pass(2_999);
  expect(button()).toHaveTextContent('Error saving');
  pass(1);
  expect(button()).toHaveTextContent('Save changes');
  expect(button()).toBeEnabled();
  expect(username().value).toBe('admin');
  expect(currentUser()?.username).toBe('quiet-otter-42');
});

it.each([
  ['Saved!', 200],
  ['Error saving', 500],
])('replaces %s when the user edits something', async (label, status) => {
  open();
  answer(status, { user: aUser({ username: 'ada' }) });
  answer(200, aUser({ username: 'ada' }));
  type('ada');
  await save();
  expect(button()).toHaveTextContent(label);
  type('adam');
  expect(button()).toHaveTextContent('Save changes');
  // The timer of the previous state must have no effect.
  pass(5_000);
  expect(button()).toHaveTextContent('Save changes');
});

it('keeps what is typed while saving', async () => {
  open();
  answer(200, { user: aUser({ username: 'ada' }) });
  let read: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (read = resolve)));
  type('ada');
  await save();
  type('adam');
  expect(button()).toHaveTextContent('Saving...');
  read(new Response(JSON.stringify(aUser({ username: 'ada' }))));
  await settle();
  pass(2_000);
  expect(username().value).toBe('adam');
  expect(button()).toHaveTextContent('Save changes');
});

it('treats a saved profile as saved when it cannot be read again', async () => {
  open();
  answer(200, { user: aUser({ username: 'ada' }) });
  answer(500, {});
  type('ada');
  await save();
  expect(button()).toHaveTextContent('Saved!');
  expect(currentUser()?.username).toBe('ada');
});

it('shows a change made elsewhere while nothing is edited here', () => {
  open();
  act(() => mergeIntoUser({ username: 'ada' }));
  expect(username().value).toBe('ada');
  expect(button()).toHaveTextContent('No changes');
});

it('reports at the field that a name is too long, counted in code points', () => {
  open();
  type('🙂'.repeat(30));
  expect(username()).toBeValid();
  type('🙂'.repeat(31));
  expect(username()).toHaveAccessibleDescription('At most 30 characters');
});

it('uploads a picture to profiles/ in the bucket avatars, shows it, and saves it', async () => {
  open();
  uploadMock.mockResolvedValueOnce(url);
  await choose(imageOf(5 * 1024 * 1024));
  expect(uploadMock).toHaveBeenCalledWith(expect.any(File), 'avatars', expect.stringMatching(/^profiles\//));
  expect(document.querySelector('img')).toHaveAttribute('src', url);
  expect(button()).toHaveTextContent('Save changes');
  answer(200, { user: aUser({ avatar: url }) });
  answer(200, aUser({ avatar: url }));
  await save();
  expect(fetchMock.mock.calls[0]?.[1].body).toBe(JSON.stringify({ username: 'quiet-otter-42', avatar: url }));
  expect(button()).toHaveTextContent('Saved!');
});

it('cannot be saved during an upload', async () => {
  open();
  uploadMock.mockReturnValueOnce(new Promise(() => undefined));
  type('ada');
  await choose(imageOf(10));
  expect(screen.getByRole('button', { name: 'Uploading...' })).toBeDisabled();
  expect(button()).toBeDisabled();
});

it('removes the picture', async () => {
  open({ avatar: url });
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByRole('button', { name: 'Upload picture' })).toHaveFocus();
  answer(200, { user: aUser() });
  answer(200, aUser());
  await save();
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"username":"quiet-otter-42","avatar":null}');
});

it('refuses more than 5 MiB without an upload', async () => {
  open();
  await choose(imageOf(5 * 1024 * 1024 + 1));
  expect(shownToast()).toEqual({ title: 'File too large', description: 'Image must be no larger than 5MB.' });
  expect(uploadMock).not.toHaveBeenCalled();
  expect(button()).toHaveTextContent('No changes');
});

it.each([
  ['the server refuses it', () => imageOf(10)],
  ['it is no image (A98)', () => new File(['x'], 'me.txt', { type: 'text/plain' })],
])('reports that the picture could not be uploaded when %s', async (_why, file) => {
  open();
  uploadMock.mockRejectedValueOnce(new Error('422'));
  await choose(file());
  expect(shownToast()).toEqual({ title: 'Upload error', description: 'Could not upload image.' });
  expect(screen.getByRole('button', { name: 'Upload picture' })).toBeEnabled();
});
