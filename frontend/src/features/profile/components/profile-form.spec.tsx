import { act, fireEvent, render, screen } from '@testing-library/react';
import { ProfileForm } from '@/features/profile/components/profile-form';
import { onAppEvent } from '@/product/app-events';
import { currentUser, mergeIntoUser, signIn, signOut, useIdentity } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { useToasts } from '@/ui/toast-store';

const uploadMock = jest.fn<Promise<string>, [file: File, bucket: string, path: string]>();
jest.mock('@/product/pictures/upload-image', () => ({
  uploadImage: (...args: [file: File, bucket: string, path: string]) => uploadMock(...args),
}));
const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();

const CurrentUserForm = () => {
  const user = useIdentity((state) => state.user);
  return user ? <ProfileForm user={user} /> : null;
};
const openForm = (changes = {}): void => {
  signIn(aUser({ username: 'quiet-otter-42', ...changes }));
  render(<CurrentUserForm />);
};
/** Found by its type, because its label changes. */
const getSaveButton = (): HTMLElement =>
  screen.getAllByRole('button').find((button) => button.getAttribute('type') === 'submit')!;
const getUsernameField = (): HTMLInputElement => screen.getByLabelText('Username');
const typeUsername = (text: string): void =>
  void fireEvent.change(getUsernameField(), { target: { value: text } });
const flushUpdates = (): Promise<void> => act(async () => void (await jest.advanceTimersByTimeAsync(0)));
const advanceTime = (ms: number): void => act(() => jest.advanceTimersByTime(ms));
const mockResponse = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
/** Mocks a response that arrives only when the test calls the returned function with its body. */
const mockLaterResponse = (): ((body: unknown) => Promise<void>) => {
  let resolveResponse: (response: Response) => void = () => undefined;
  const laterResponse = new Promise<Response>((resolve) => {
    resolveResponse = resolve;
  });
  fetchMock.mockReturnValueOnce(laterResponse);
  return async (body) => {
    resolveResponse(new Response(JSON.stringify(body)));
    await flushUpdates();
  };
};
const clickSave = async (): Promise<void> => {
  fireEvent.click(getSaveButton());
  await flushUpdates();
};
const choosePicture = async (file: File): Promise<void> => {
  fireEvent.change(screen.getByLabelText('Profile picture', { selector: 'input' }), {
    target: { files: [file] },
  });
  await flushUpdates();
};
const createImage = (sizeBytes: number): File => {
  const file = new File(['x'], 'me.png', { type: 'image/png' });
  Object.defineProperty(file, 'size', { value: sizeBytes });
  return file;
};
const getShownToast = () => {
  const { title, description } = useToasts.getState().shown ?? {};
  return { title, description };
};
const maxSizeBytes = 5 * 1024 * 1024;
const smallSizeBytes = 10;
const pictureUrl = '/api/files/avatars/profiles/00000000-0000-4000-8000-000000000000.webp';

beforeEach(() => {
  jest.useFakeTimers();
  fetchMock.mockReset();
  uploadMock.mockReset();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
  // The form logs failures to save the profile, to read it again after that, and to upload a picture.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  signOut();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it("shows a disabled 'No changes' while the name is unchanged, apart from surrounding spaces", () => {
  openForm();
  expect(getSaveButton()).toHaveTextContent('No changes');
  expect(getSaveButton()).toBeDisabled();
  typeUsername(' quiet-otter-42 ');
  expect(getSaveButton()).toBeDisabled();
  typeUsername('ada');
  expect(getSaveButton()).toBeEnabled();
  typeUsername('quiet-otter-42');
  expect(getSaveButton()).toHaveTextContent('No changes');
});

it('does not save an empty name', () => {
  openForm();
  typeUsername('   ');
  expect(getSaveButton()).toBeDisabled();
  fireEvent.submit(getUsernameField().form!);
  expect(fetchMock).not.toHaveBeenCalled();
});

it("shows 'Saving...', then 'Saved!' for 2 s; sends PUT, then GET, and updates the user", async () => {
  openForm();
  const onProfileUpdated = jest.fn();
  const unsubscribe = onAppEvent('profileUpdated', onProfileUpdated);
  // The response to PUT is `{ user }`, the response to GET is the user itself.
  mockResponse(200, { user: aUser({ username: 'Ada' }) });
  const respondToGet = mockLaterResponse();
  typeUsername(' Ada ');
  await clickSave();
  expect(getSaveButton()).toHaveTextContent('Saving...');
  expect(getSaveButton()).toBeDisabled();
  await respondToGet(aUser({ username: 'Ada Lovelace' }));
  expect(fetchMock.mock.calls.map(([url, { method, body }]) => [method, url, body])).toEqual([
    ['PUT', '/api/user/7', '{"username":"Ada","avatar":null}'],
    ['GET', '/api/user/7', undefined],
  ]);
  expect(currentUser()?.username).toBe('Ada Lovelace');
  expect(getUsernameField().value).toBe('Ada Lovelace');
  expect(onProfileUpdated).toHaveBeenCalledWith({ userId: 7 });
  expect(getSaveButton()).toHaveTextContent('Saved!');
  expect(getSaveButton()).toBeDisabled();
  expect(screen.getByRole('status')).toHaveTextContent('Saved!');
  advanceTime(1_999);
  expect(getSaveButton()).toHaveTextContent('Saved!');
  advanceTime(1);
  expect(getSaveButton()).toHaveTextContent('No changes');
  unsubscribe();
});

it("shows 'Error saving' for 3 s, and then lets the user try again", async () => {
  openForm();
  mockResponse(400, { code: 'validation_failed' });
  typeUsername('admin');
  await clickSave();
  expect(getSaveButton()).toHaveTextContent('Error saving');
  advanceTime(2_999);
  expect(getSaveButton()).toHaveTextContent('Error saving');
  advanceTime(1);
  expect(getSaveButton()).toHaveTextContent('Save changes');
  expect(getSaveButton()).toBeEnabled();
  expect(getUsernameField().value).toBe('admin');
  expect(currentUser()?.username).toBe('quiet-otter-42');
});

it.each([
  ['Saved!', 200],
  ['Error saving', 500],
])("replaces '%s' when the user edits the name", async (label, status) => {
  openForm();
  mockResponse(status, { user: aUser({ username: 'ada' }) });
  // For the GET that follows a successful save. After a failed one, there is no GET.
  mockResponse(200, aUser({ username: 'ada' }));
  typeUsername('ada');
  await clickSave();
  expect(getSaveButton()).toHaveTextContent(label);
  typeUsername('adam');
  expect(getSaveButton()).toHaveTextContent('Save changes');
  // The timer that ends 'Saved!' after 2 s or 'Error saving' after 3 s must have no effect any more.
  advanceTime(5_000);
  expect(getSaveButton()).toHaveTextContent('Save changes');
});

it('keeps a name that the user types during a save as an unsaved change', async () => {
  openForm();
  mockResponse(200, { user: aUser({ username: 'ada' }) });
  const respondToGet = mockLaterResponse();
  typeUsername('ada');
  await clickSave();
  typeUsername('adam');
  expect(getSaveButton()).toHaveTextContent('Saving...');
  await respondToGet(aUser({ username: 'ada' }));
  advanceTime(2_000);
  expect(getUsernameField().value).toBe('adam');
  expect(getSaveButton()).toHaveTextContent('Save changes');
});

it("shows 'Saved!' when the profile was saved but could not be read again", async () => {
  openForm();
  mockResponse(200, { user: aUser({ username: 'ada' }) });
  mockResponse(500, {});
  typeUsername('ada');
  await clickSave();
  expect(getSaveButton()).toHaveTextContent('Saved!');
  expect(currentUser()?.username).toBe('ada');
});

it('shows a change from another device while nothing is edited here', () => {
  openForm();
  act(() => mergeIntoUser({ username: 'ada' }));
  expect(getUsernameField().value).toBe('ada');
  expect(getSaveButton()).toHaveTextContent('No changes');
});

it('marks a name of more than 30 code points as too long', () => {
  openForm();
  typeUsername('🙂'.repeat(30));
  expect(getUsernameField()).toBeValid();
  typeUsername('🙂'.repeat(31));
  expect(getUsernameField()).toHaveAccessibleDescription('At most 30 characters');
});

it('uploads a picture below profiles/ in the bucket avatars, shows it, and saves it', async () => {
  openForm();
  uploadMock.mockResolvedValueOnce(pictureUrl);
  await choosePicture(createImage(maxSizeBytes));
  expect(uploadMock).toHaveBeenCalledWith(expect.any(File), 'avatars', expect.stringMatching(/^profiles\//));
  expect(document.querySelector('img')).toHaveAttribute('src', pictureUrl);
  expect(getSaveButton()).toHaveTextContent('Save changes');
  mockResponse(200, { user: aUser({ avatar: pictureUrl }) });
  mockResponse(200, aUser({ avatar: pictureUrl }));
  await clickSave();
  expect(fetchMock.mock.calls[0]?.[1].body).toBe(
    JSON.stringify({ username: 'quiet-otter-42', avatar: pictureUrl }),
  );
  expect(getSaveButton()).toHaveTextContent('Saved!');
});

it('does not save during an upload', async () => {
  openForm();
  uploadMock.mockReturnValueOnce(new Promise(() => undefined));
  typeUsername('ada');
  await choosePicture(createImage(smallSizeBytes));
  expect(screen.getByRole('button', { name: 'Uploading...' })).toBeDisabled();
  expect(getSaveButton()).toBeDisabled();
});

it('removes the picture and saves the profile without it', async () => {
  openForm({ avatar: pictureUrl });
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByRole('button', { name: 'Upload picture' })).toHaveFocus();
  mockResponse(200, { user: aUser() });
  mockResponse(200, aUser());
  await clickSave();
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"username":"quiet-otter-42","avatar":null}');
});

it('refuses a picture of more than 5 MiB without uploading it', async () => {
  openForm();
  await choosePicture(createImage(maxSizeBytes + 1));
  expect(getShownToast()).toEqual({
    title: 'File too large',
    description: 'Image must be no larger than 5MB.',
  });
  expect(uploadMock).not.toHaveBeenCalled();
  expect(getSaveButton()).toHaveTextContent('No changes');
});

const expectUploadError = (): void => {
  expect(getShownToast()).toEqual({ title: 'Upload error', description: 'Could not upload image.' });
  expect(screen.getByRole('button', { name: 'Upload picture' })).toBeEnabled();
};

it('reports that the picture could not be uploaded when the server refuses the file', async () => {
  openForm();
  uploadMock.mockRejectedValueOnce(new Error('422'));
  await choosePicture(createImage(smallSizeBytes));
  expectUploadError();
});

it('reports an upload error for a file that is not an image, and does not upload it', async () => {
  openForm();
  await choosePicture(new File(['x'], 'me.txt', { type: 'text/plain' }));
  expectUploadError();
  expect(uploadMock).not.toHaveBeenCalled();
});
