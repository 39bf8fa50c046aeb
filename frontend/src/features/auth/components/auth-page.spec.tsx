import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { AuthPage } from '@/features/auth/components/auth-page';
import { currentUser, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { useToasts } from '@/ui/toast-store';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();
const prepareChat = jest.fn<Promise<void>, []>();

beforeEach(() => {
  fetchMock.mockReset();
  prepareChat.mockReset().mockResolvedValue();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  signOut();
  jest.restoreAllMocks();
});

const answer = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
const open = (path: string) => {
  render(
    <MemoryRouter initialEntries={[path]}>
      <Routes>
        <Route path="/auth" element={<AuthPage consent={<p>consent</p>} prepareChat={prepareChat} />} />
        <Route path="/chat" element={<p>the chat</p>} />
        <Route path="/" element={<p>the landing page</p>} />
      </Routes>
    </MemoryRouter>,
  );
  return userEvent.setup();
};
const email = (): HTMLElement => screen.getByLabelText('Email');
const password = (): HTMLElement => screen.getByLabelText('Password');
const confirmation = (): HTMLElement => screen.getByLabelText('Confirm Password');
const submit = (name: string): HTMLElement =>
  screen.getAllByRole('button', { name }).find((button) => button.getAttribute('type') === 'submit')!;
const shownToast = () => {
  const { title, description } = useToasts.getState().shown ?? {};
  return { title, description };
};

it('opens with the login form, without a password confirmation', () => {
  open('/auth');
  expect(submit('Login')).toBeVisible();
  expect(screen.queryByLabelText('Confirm Password')).not.toBeInTheDocument();
});

it('switches between login and registration', async () => {
  const user = open('/auth?register=true');
  expect(confirmation()).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Login' }));
  expect(screen.queryByLabelText('Confirm Password')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Register' }));
  expect(confirmation()).toBeVisible();
});

it('validates on submit, and on every change after that', async () => {
  const user = open('/auth');
  await user.type(email(), 'nobody');
  await user.type(password(), '12345');
  expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  await user.click(submit('Login'));
  expect(await screen.findByText('Invalid email')).toBeVisible();
  expect(screen.getByText('Password must be at least 6 characters')).toBeVisible();
  expect(email()).toBeInvalid();
  expect(email()).toHaveAccessibleDescription('Invalid email');
  expect(email()).toHaveFocus();
  await user.type(password(), '6');
  await waitFor(() =>
    expect(screen.queryByText('Password must be at least 6 characters')).not.toBeInTheDocument(),
  );
  await user.type(email(), '@example.com');
  await waitFor(() => expect(screen.queryByText('Invalid email')).not.toBeInTheDocument());
  expect(fetchMock).not.toHaveBeenCalled();
});

it('signs the user in, shows a toast and opens /chat', async () => {
  const user = open('/auth');
  answer(200, { user: aUser({ email: 'ada@example.com', isAnonymous: false }) });
  await user.type(email(), 'ada@example.com');
  await user.type(password(), 'secret');
  await user.click(submit('Login'));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/login');
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"email":"ada@example.com","password":"secret"}');
  expect(shownToast()).toEqual({ title: 'Login successful', description: 'Welcome back!' });
  expect(currentUser()?.email).toBe('ada@example.com');
});

it.each([401, 429, 500])(
  'shows the error message of the specification when signing in fails with %d (A26)',
  async (status) => {
    const user = open('/auth');
    answer(status, { message: 'other words' });
    await user.type(email(), 'ada@example.com');
    await user.type(password(), 'secret{Enter}');
    await waitFor(() =>
      expect(shownToast()).toEqual({
        title: 'Login error',
        description: 'Invalid credentials. Please try again.',
      }),
    );
    expect(submit('Login')).toBeEnabled();
  },
);

it.each(['Login', 'Chat Anonymously'])('stays after a click on %s until /chat is loaded', async (name) => {
  const user = open('/auth');
  answer(200, { user: aUser() });
  let chatIsLoaded = (): void => undefined;
  prepareChat.mockReturnValue(new Promise((resolve) => (chatIsLoaded = resolve)));
  await user.type(email(), 'ada@example.com');
  await user.type(password(), 'secret');
  await user.click(name === 'Login' ? submit(name) : screen.getByRole('button', { name }));
  await waitFor(() => expect(prepareChat).toHaveBeenCalledTimes(1));
  expect(fetchMock).toHaveBeenCalledTimes(1);
  expect(currentUser()).toBeNull();
  chatIsLoaded();
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(currentUser()).toMatchObject({ id: aUser().id });
});

it('reports a password mismatch together with the other errors, and sends the password once', async () => {
  const user = open('/auth?register=true');
  await user.type(email(), 'nobody');
  await user.type(password(), 'secret');
  await user.type(confirmation(), 'secreT');
  await user.click(submit('Register'));
  expect(await screen.findByText("Passwords don't match")).toBeVisible();
  expect(screen.getByText('Invalid email')).toBeVisible();
  expect(confirmation()).toHaveAccessibleDescription("Passwords don't match");
  await user.clear(confirmation());
  await user.type(confirmation(), 'secret');
  await user.type(email(), '@example.com');
  answer(201, { user: aUser() });
  await user.click(submit('Register'));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/register');
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"email":"nobody@example.com","password":"secret"}');
  expect(shownToast()).toEqual({ title: 'Account created successfully', description: 'Welcome to Thaw!' });
});

it('reports that the account could not be created', async () => {
  const user = open('/auth?register=true');
  answer(409, { code: 'email_taken' });
  await user.type(email(), 'ada@example.com');
  await user.type(password(), 'secret');
  await user.type(confirmation(), 'secret{Enter}');
  await waitFor(() =>
    expect(shownToast()).toEqual({
      title: 'Registration error',
      description: 'Could not create account. Please try again.',
    }),
  );
});

it("shows a disabled 'Starting...' button while the anonymous session starts", async () => {
  const user = open('/auth');
  let finish: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
  await user.click(screen.getByRole('button', { name: 'Chat Anonymously' }));
  expect(screen.getByRole('button', { name: 'Starting...' })).toBeDisabled();
  finish(new Response(JSON.stringify({ user: aUser() }), { status: 201 }));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(shownToast()).toEqual({
    title: 'Anonymous session started',
    description: 'You are chatting anonymously.',
  });
});

it('reports that the anonymous session could not be started', async () => {
  const user = open('/auth');
  answer(503, {});
  await user.click(screen.getByRole('button', { name: 'Chat Anonymously' }));
  await waitFor(() =>
    expect(shownToast()).toEqual({ title: 'Error', description: 'Could not start anonymous session.' }),
  );
  expect(screen.getByRole('button', { name: 'Chat Anonymously' })).toBeEnabled();
});

it('sets autocomplete hints for password managers and disables native validation', async () => {
  const user = open('/auth');
  expect(document.querySelector('form')).toHaveAttribute('novalidate');
  expect(email()).toHaveAttribute('autocomplete', 'username');
  expect(password()).toHaveAttribute('autocomplete', 'current-password');
  await user.click(screen.getByRole('button', { name: 'Register' }));
  expect(email()).toHaveAttribute('autocomplete', 'email');
  expect(password()).toHaveAttribute('autocomplete', 'new-password');
  expect(confirmation()).toHaveAttribute('autocomplete', 'new-password');
});

it('shows the consent notice without any further question (A174)', () => {
  open('/auth');
  expect(screen.getByText('consent')).toBeVisible();
});

it('goes back to the landing page', async () => {
  const user = open('/auth');
  await user.click(screen.getByRole('link', { name: 'Back' }));
  expect(screen.getByText('the landing page')).toBeVisible();
});
