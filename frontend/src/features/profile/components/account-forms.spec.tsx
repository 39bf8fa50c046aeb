import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type ReactNode } from 'react';
import { ConversionForm } from '@/features/profile/components/conversion-form';
import { EmailForm } from '@/features/profile/components/email-form';
import { PasswordForm } from '@/features/profile/components/password-form';
import { createQueryClient } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { useToasts } from '@/ui/toast-store';

const fetchMock = jest.fn<Promise<Response>, [string, RequestInit]>();
const onPendingChange = jest.fn();
const onConverted = jest.fn();
/** A registered user. By default, `aUser` is anonymous and has the id 7. */
const ada = aUser({ isAnonymous: false, email: 'ada@example.com' });

beforeEach(() => {
  jest.resetAllMocks();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
});
afterEach(() => signOut());

const renderForm = (form: ReactNode): void => {
  render(<QueryClientProvider client={createQueryClient()}>{form}</QueryClientProvider>);
};
const openEmailForm = (): void => {
  signIn(ada);
  renderForm(<EmailForm user={ada} />);
};
const openPasswordForm = (): void => {
  signIn(ada);
  renderForm(<PasswordForm user={ada} />);
};
const openConversionForm = (): void => {
  const anonymousUser = aUser();
  signIn(anonymousUser);
  renderForm(
    <ConversionForm user={anonymousUser} onPendingChange={onPendingChange} onConverted={onConverted} />,
  );
};

const fill = (values: Record<string, string>): void => {
  for (const [label, value] of Object.entries(values)) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  }
};
/** The submit button is the only button of each form. */
const getSubmitButton = (): HTMLElement => screen.getByRole('button');
/** Submits the form without its button. This works even while the button is disabled. */
const submitWithoutButton = (): void => void fireEvent.submit(document.querySelector('form')!);
const mockResponse = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
const expectToast = (title: string, description?: string): Promise<void> =>
  waitFor(() => {
    const { shown } = useToasts.getState();
    expect([shown?.title, shown?.description]).toEqual([title, description]);
  });
/** Method, URL and body of the first request. */
const getFirstRequest = () => {
  const [url, { method, body }] = fetchMock.mock.calls[0] ?? ['', {}];
  return [method, url, body];
};

describe('the email form', () => {
  it.each([
    ['empty fields', {}],
    ['no password', { 'New email': 'new@example.com' }],
    ['a blank address', { 'New email': '  ', 'Current password': 'secret' }],
  ])('asks for all fields when submitted with %s; its button stays enabled', async (_missing, values) => {
    openEmailForm();
    fill(values);
    expect(getSubmitButton()).toBeEnabled();
    fireEvent.click(getSubmitButton());
    await expectToast('Required fields', 'Please fill in all fields.');
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('sends the trimmed address and the password as typed, updates the user, and clears its fields', async () => {
    openEmailForm();
    mockResponse(200, { user: { ...ada, email: 'new@example.com' } });
    fill({ 'New email': ' new@example.com ', 'Current password': ' secret ' });
    fireEvent.click(getSubmitButton());
    await expectToast('Email changed', 'Your email has been changed successfully.');
    expect(getFirstRequest()).toEqual([
      'PUT',
      '/api/user/7/email',
      '{"newEmail":"new@example.com","currentPassword":" secret "}',
    ]);
    expect(currentUser()?.email).toBe('new@example.com');
    expect(screen.getByLabelText('New email')).toHaveValue('');
    expect(screen.getByLabelText('Current password')).toHaveValue('');
  });

  it.each([
    [409, { message: 'This email address is taken.' }, 'This email address is taken.'],
    [403, {}, 'Could not change email. Please check your password.'],
  ])("after the response %d %j shows a toast with '%s'", async (status, body, description) => {
    openEmailForm();
    mockResponse(status, body);
    fill({ 'New email': 'new@example.com', 'Current password': 'secret' });
    fireEvent.click(getSubmitButton());
    await expectToast('Error changing email', description);
    expect(screen.getByLabelText('New email')).toHaveValue('new@example.com');
    expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  });

  it('marks an invalid address at its field when the server refuses it, until the field is edited', async () => {
    openEmailForm();
    // The response does not name the field: after a failure, the form checks the address itself.
    mockResponse(400, { message: 'Some of what was sent is not valid.' });
    fill({ 'New email': 'not-an-address', 'Current password': 'secret' });
    fireEvent.click(getSubmitButton());
    expect(await screen.findByText('Invalid email')).toBeVisible();
    fill({ 'New email': 'nobody@example.com' });
    expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  });

  it('shows the default message when the server cannot be reached', async () => {
    openEmailForm();
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    fill({ 'New email': 'new@example.com', 'Current password': 'secret' });
    fireEvent.click(getSubmitButton());
    await expectToast('Error changing email', 'Could not change email. Please check your password.');
  });
});

describe('the password form', () => {
  const toFields = (current: string, newPassword: string, confirmation: string): Record<string, string> => ({
    'Current password': current,
    'New password': newPassword,
    'Confirm new password': confirmation,
  });

  // The button is disabled in all these cases. The form must also refuse a submit that does not come from the button.
  it.each([
    ['empty fields', toFields('', '', ''), 'Required fields', 'Please fill in all fields.'],
    [
      'no current password',
      toFields('', 'secret1', 'secret1'),
      'Required fields',
      'Please fill in all fields.',
    ],
    [
      'a confirmation that differs',
      toFields('secret', 'secret1', 'secret2'),
      'Passwords do not match',
      'New password and confirmation must be the same.',
    ],
    [
      'a password of five characters',
      toFields('secret', '12345', '12345'),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
  ])('disables its button and refuses to submit with %s', async (_problem, values, title, description) => {
    openPasswordForm();
    fill(values);
    expect(getSubmitButton()).toBeDisabled();
    submitWithoutButton();
    await expectToast(title, description);
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it("shows 'Passwords do not match' while the entered confirmation differs", () => {
    openPasswordForm();
    fill(toFields('secret', '123456', ''));
    expect(screen.queryByText('Passwords do not match')).not.toBeInTheDocument();
    fill({ 'Confirm new password': '1' });
    expect(screen.getByText('Passwords do not match')).toBeVisible();
    expect(screen.getByLabelText('Confirm new password')).toBeInvalid();
    fill({ 'Confirm new password': '123456' });
    expect(screen.queryByText('Passwords do not match')).not.toBeInTheDocument();
    expect(getSubmitButton()).toBeEnabled();
  });

  it('sends the change, shows a toast and clears its fields', async () => {
    openPasswordForm();
    mockResponse(200, { success: true });
    fill(toFields('secret', '123456', '123456'));
    fireEvent.click(getSubmitButton());
    await expectToast('Password changed');
    expect(getFirstRequest()).toEqual([
      'PUT',
      '/api/user/7/password',
      '{"currentPassword":"secret","newPassword":"123456"}',
    ]);
    expect(screen.getByLabelText('New password')).toHaveValue('');
    expect(getSubmitButton()).toBeDisabled();
  });

  it.each([
    [403, { message: 'The current password is not correct.' }, 'The current password is not correct.'],
    [500, {}, 'Could not change password. Please check your current password.'],
  ])("after the response %d %j shows a toast with '%s'", async (status, body, description) => {
    openPasswordForm();
    mockResponse(status, body);
    fill(toFields('wrong', '123456', '123456'));
    fireEvent.click(getSubmitButton());
    await expectToast('Error changing password', description);
  });
});

// The conversion form turns an anonymous user into a registered one.
describe('the conversion form', () => {
  const toFields = (email: string, password: string, confirmation: string): Record<string, string> => ({
    Email: email,
    Password: password,
    'Confirm Password': confirmation,
  });

  it.each([
    ['empty fields', toFields('', '', ''), 'Missing fields', 'Please fill in all fields.'],
    ['a blank address', toFields(' ', 'secret1', 'secret1'), 'Missing fields', 'Please fill in all fields.'],
    [
      'no confirmation',
      toFields('a@example.com', 'secret1', ''),
      'Missing fields',
      'Please fill in all fields.',
    ],
    [
      'two different passwords',
      toFields('a@example.com', 'secret1', 'secret2'),
      "Passwords don't match",
      'Please make sure both passwords are identical.',
    ],
    [
      'a password of five characters',
      toFields('a@example.com', '12345', '12345'),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
  ])('is not sent with %s', async (_problem, values, title, description) => {
    openConversionForm();
    fill(values);
    fireEvent.click(getSubmitButton());
    await expectToast(title, description);
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('disables its button during the request, and then makes the user a registered one with the same id', async () => {
    openConversionForm();
    let respond: (response: Response) => void = () => undefined;
    fetchMock.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
    fill(toFields(' ada@example.com ', 'secret1', 'secret1'));
    fireEvent.click(getSubmitButton());
    await waitFor(() => expect(getSubmitButton()).toBeDisabled());
    expect(onPendingChange.mock.calls).toEqual([[true]]);
    expect(getFirstRequest()).toEqual([
      'POST',
      '/api/convert-anonymous',
      '{"userId":7,"email":"ada@example.com","password":"secret1"}',
    ]);
    respond(new Response(JSON.stringify({ user: ada })));
    await expectToast('Account created successfully!');
    await waitFor(() => expect(onPendingChange.mock.calls).toEqual([[true], [false]]));
    expect(onConverted).toHaveBeenCalledTimes(1);
    expect(currentUser()).toMatchObject({ id: 7, isAnonymous: false, email: 'ada@example.com' });
  });

  it.each([
    [409, { message: 'This email address is taken.' }, 'This email address is taken.'],
    [500, {}, 'Could not convert account. Please try again.'],
  ])("after the response %d %j shows a toast with '%s'", async (status, body, description) => {
    openConversionForm();
    mockResponse(status, body);
    fill(toFields('ada@example.com', 'secret1', 'secret1'));
    fireEvent.click(getSubmitButton());
    await expectToast('Conversion failed', description);
    expect(onConverted).not.toHaveBeenCalled();
    expect(currentUser()?.isAnonymous).toBe(true);
    await waitFor(() => expect(getSubmitButton()).toBeEnabled());
  });
});
