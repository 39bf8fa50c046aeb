import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { AuthPage } from '@/features/auth/components/auth-page';
import { currentUser, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { useToasts } from '@/ui/toast-store';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();
/** Loads the code of /chat. */
const prepareChat = jest.fn<Promise<void>, []>();

beforeEach(() => {
  fetchMock.mockReset();
  prepareChat.mockReset().mockResolvedValue();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
  // A failed sign-in logs a warning.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  signOut();
  jest.restoreAllMocks();
});

const mockNextResponse = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
const openPage = (path: string) => {
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
const getEmailField = (): HTMLElement => screen.getByLabelText('Email');
const getPasswordField = (): HTMLElement => screen.getByLabelText('Password');
const getConfirmationField = (): HTMLElement => screen.getByLabelText('Confirm Password');
/** Finds the submit button. A second button may have the same name: it switches to the form of that name. */
const getSubmitButton = (name: string): HTMLElement =>
  screen.getAllByRole('button', { name }).find((button) => button.getAttribute('type') === 'submit')!;
const getShownToast = () => {
  const { title, description } = useToasts.getState().shown ?? {};
  return { title, description };
};

it('opens with the login form, without a password confirmation', () => {
  openPage('/auth');
  expect(getSubmitButton('Login')).toBeVisible();
  expect(screen.queryByLabelText('Confirm Password')).not.toBeInTheDocument();
});

it('switches between login and registration', async () => {
  const user = openPage('/auth?register=true');
  expect(getConfirmationField()).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Login' }));
  expect(screen.queryByLabelText('Confirm Password')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Register' }));
  expect(getConfirmationField()).toBeVisible();
});

it('validates on submit, and on every change after that', async () => {
  const user = openPage('/auth');
  await user.type(getEmailField(), 'nobody');
  await user.type(getPasswordField(), '12345');
  expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  await user.click(getSubmitButton('Login'));
  expect(await screen.findByText('Invalid email')).toBeVisible();
  expect(screen.getByText('Password must be at least 6 characters')).toBeVisible();
  expect(getEmailField()).toBeInvalid();
  expect(getEmailField()).toHaveAccessibleDescription('Invalid email');
  expect(getEmailField()).toHaveFocus();
  await user.type(getPasswordField(), '6');
  await waitFor(() =>
    expect(screen.queryByText('Password must be at least 6 characters')).not.toBeInTheDocument(),
  );
  await user.type(getEmailField(), '@example.com');
  await waitFor(() => expect(screen.queryByText('Invalid email')).not.toBeInTheDocument());
  expect(fetchMock).not.toHaveBeenCalled();
});

it('signs the user in, shows a toast and opens /chat', async () => {
  const user = openPage('/auth');
  mockNextResponse(200, { user: aUser({ email: 'ada@example.com', isAnonymous: false }) });
  await user.type(getEmailField(), 'ada@example.com');
  await user.type(getPasswordField(), 'secret');
  await user.click(getSubmitButton('Login'));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/login');
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"email":"ada@example.com","password":"secret"}');
  expect(getShownToast()).toEqual({ title: 'Login successful', description: 'Welcome back!' });
  expect(currentUser()?.email).toBe('ada@example.com');
});

it.each([401, 429, 500])(
  "shows its own error message, not the server's, when signing in fails with status %d",
  async (status) => {
    const user = openPage('/auth');
    mockNextResponse(status, { message: 'the message of the server' });
    await user.type(getEmailField(), 'ada@example.com');
    await user.type(getPasswordField(), 'secret{Enter}');
    await waitFor(() =>
      expect(getShownToast()).toEqual({
        title: 'Login error',
        description: 'Invalid credentials. Please try again.',
      }),
    );
    // The button is renamed while the request runs, which may end after the toast has appeared.
    await waitFor(() => expect(getSubmitButton('Login')).toBeEnabled());
  },
);

it.each([
  ['Login', () => getSubmitButton('Login')],
  ['Chat Anonymously', () => screen.getByRole('button', { name: 'Chat Anonymously' })],
])(
  'after a click on %s, stays on the page and sets no current user until the code of /chat is loaded',
  async (_name, getButton) => {
    const user = openPage('/auth');
    mockNextResponse(200, { user: aUser() });
    let finishLoadingChat = (): void => undefined;
    prepareChat.mockReturnValue(new Promise((resolve) => (finishLoadingChat = resolve)));
    await user.type(getEmailField(), 'ada@example.com');
    await user.type(getPasswordField(), 'secret');
    await user.click(getButton());
    await waitFor(() => expect(prepareChat).toHaveBeenCalledTimes(1));
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(currentUser()).toBeNull();
    finishLoadingChat();
    expect(await screen.findByText('the chat')).toBeVisible();
    expect(currentUser()).toMatchObject({ id: aUser().id });
  },
);

it('reports a password mismatch with the other errors, until both are corrected', async () => {
  const user = openPage('/auth?register=true');
  await user.type(getEmailField(), 'nobody');
  await user.type(getPasswordField(), 'secret');
  await user.type(getConfirmationField(), 'secreT');
  await user.click(getSubmitButton('Register'));
  expect(await screen.findByText("Passwords don't match")).toBeVisible();
  expect(screen.getByText('Invalid email')).toBeVisible();
  expect(getConfirmationField()).toHaveAccessibleDescription("Passwords don't match");
  await user.clear(getConfirmationField());
  await user.type(getConfirmationField(), 'secret');
  await user.type(getEmailField(), '@example.com');
  await waitFor(() => expect(screen.queryByText("Passwords don't match")).not.toBeInTheDocument());
  expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
});

it('registers without sending the password confirmation, shows a toast and opens /chat', async () => {
  const user = openPage('/auth?register=true');
  await user.type(getEmailField(), 'ada@example.com');
  await user.type(getPasswordField(), 'secret');
  await user.type(getConfirmationField(), 'secret');
  mockNextResponse(201, { user: aUser() });
  await user.click(getSubmitButton('Register'));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/register');
  expect(fetchMock.mock.calls[0]?.[1].body).toBe('{"email":"ada@example.com","password":"secret"}');
  expect(getShownToast()).toEqual({ title: 'Account created successfully', description: 'Welcome to Thaw!' });
});

it('shows a toast when the account cannot be created', async () => {
  const user = openPage('/auth?register=true');
  mockNextResponse(409, { code: 'email_taken' });
  await user.type(getEmailField(), 'ada@example.com');
  await user.type(getPasswordField(), 'secret');
  await user.type(getConfirmationField(), 'secret{Enter}');
  await waitFor(() =>
    expect(getShownToast()).toEqual({
      title: 'Registration error',
      description: 'Could not create account. Please try again.',
    }),
  );
});

it("disables the button and labels it 'Starting...' while the anonymous session starts", async () => {
  const user = openPage('/auth');
  let respond: (response: Response) => void = () => undefined;
  fetchMock.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
  await user.click(screen.getByRole('button', { name: 'Chat Anonymously' }));
  expect(screen.getByRole('button', { name: 'Starting...' })).toBeDisabled();
  respond(new Response(JSON.stringify({ user: aUser() }), { status: 201 }));
  expect(await screen.findByText('the chat')).toBeVisible();
  expect(getShownToast()).toEqual({
    title: 'Anonymous session started',
    description: 'You are chatting anonymously.',
  });
});

it('shows a toast when the anonymous session cannot be started', async () => {
  const user = openPage('/auth');
  mockNextResponse(503, {});
  await user.click(screen.getByRole('button', { name: 'Chat Anonymously' }));
  await waitFor(() =>
    expect(getShownToast()).toEqual({ title: 'Error', description: 'Could not start anonymous session.' }),
  );
  expect(screen.getByRole('button', { name: 'Chat Anonymously' })).toBeEnabled();
});

it('sets autocomplete hints for password managers and disables native validation', async () => {
  const user = openPage('/auth');
  expect(document.querySelector('form')).toHaveAttribute('novalidate');
  expect(getEmailField()).toHaveAttribute('autocomplete', 'username');
  expect(getPasswordField()).toHaveAttribute('autocomplete', 'current-password');
  await user.click(screen.getByRole('button', { name: 'Register' }));
  expect(getEmailField()).toHaveAttribute('autocomplete', 'email');
  expect(getPasswordField()).toHaveAttribute('autocomplete', 'new-password');
  expect(getConfirmationField()).toHaveAttribute('autocomplete', 'new-password');
});

it('shows the consent notice without a checkbox', () => {
  openPage('/auth');
  expect(screen.getByText('consent')).toBeVisible();
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('goes back to the landing page', async () => {
  const user = openPage('/auth');
  await user.click(screen.getByRole('link', { name: 'Back' }));
  expect(screen.getByText('the landing page')).toBeVisible();
});
