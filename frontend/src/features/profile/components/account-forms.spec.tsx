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
const onPending = jest.fn();
const onConverted = jest.fn();
const ada = aUser({ isAnonymous: false, email: 'ada@example.com' });

beforeEach(() => {
  jest.resetAllMocks();
  globalThis.fetch = fetchMock as unknown as typeof fetch;
  useToasts.setState({ shown: null });
});
afterEach(() => signOut());

const show = (form: ReactNode): void => {
  render(<QueryClientProvider client={createQueryClient()}>{form}</QueryClientProvider>);
};
const openEmail = (): void => {
  signIn(ada);
  show(<EmailForm user={ada} />);
};
const openPassword = (): void => {
  signIn(ada);
  show(<PasswordForm user={ada} />);
};
const openConversion = (): void => {
  signIn(aUser());
  show(<ConversionForm user={aUser()} onPending={onPending} onConverted={onConverted} />);
};

const fill = (values: Record<string, string>): void => {
  for (const [label, value] of Object.entries(values)) {
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  }
};
const button = (): HTMLElement => screen.getByRole('button');
/** Submits like Enter in a field, which works even while the button is disabled. */
const submit = (): void => void fireEvent.submit(document.querySelector('form')!);
const answer = (status: number, body: unknown): void => {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
};
const expectToast = (title: string, description?: string): Promise<void> =>
  waitFor(() => {
    const { shown } = useToasts.getState();
    expect([shown?.title, shown?.description]).toEqual([title, description]);
  });
const call = () => {
  const [address, { method, body }] = fetchMock.mock.calls[0] ?? ['', {}];
  return [method, address, body];
};

describe('the email form', () => {
  it.each([
    ['nothing', {}],
    ['no password', { 'New email': 'new@example.com' }],
    ['no address', { 'New email': '  ', 'Current password': 'secret' }],
  ])('with %s asks for all fields, and its button is never disabled (A23)', async (_what, values) => {
    openEmail();
    fill(values);
    expect(button()).toBeEnabled();
    fireEvent.click(button());
    await expectToast('Required fields', 'Please fill in all fields.');
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('sends the change, updates the user, shows a toast and clears its fields', async () => {
    openEmail();
    answer(200, { user: { ...ada, email: 'new@example.com' } });
    fill({ 'New email': ' new@example.com ', 'Current password': ' secret ' });
    fireEvent.click(button());
    await expectToast('Email changed', 'Your email has been changed successfully.');
    expect(call()).toEqual([
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
  ])("reports a failure with %d %j as '%s'", async (status, body, description) => {
    openEmail();
    answer(status, body);
    fill({ 'New email': 'new@example.com', 'Current password': 'secret' });
    fireEvent.click(button());
    await expectToast('Error changing email', description);
    expect(screen.getByLabelText('New email')).toHaveValue('new@example.com');
    expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  });

  it("shows an invalid address at its field, which the server's message does not name", async () => {
    openEmail();
    answer(400, { message: 'Some of what was sent is not valid.' });
    fill({ 'New email': 'nobody', 'Current password': 'secret' });
    fireEvent.click(button());
    expect(await screen.findByText('Invalid email')).toBeVisible();
    fill({ 'New email': 'nobody@example.com' });
    expect(screen.queryByText('Invalid email')).not.toBeInTheDocument();
  });

  it('shows the default message when the server cannot be reached', async () => {
    openEmail();
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    fill({ 'New email': 'new@example.com', 'Current password': 'secret' });
    fireEvent.click(button());
    await expectToast('Error changing email', 'Could not change email. Please check your password.');
  });
});

describe('the password form', () => {
  const filled = (current: string, fresh: string, again: string): Record<string, string> => ({
    'Current password': current,
    'New password': fresh,
    'Confirm new password': again,
  });

  // A click cannot cause any of these, because the button is disabled; the handler checks nevertheless (A22).
  it.each([
    ['nothing', filled('', '', ''), 'Required fields', 'Please fill in all fields.'],
    ['no current one', filled('', 'secret1', 'secret1'), 'Required fields', 'Please fill in all fields.'],
    [
      'two different ones',
      filled('secret', 'secret1', 'secret2'),
      'Passwords do not match',
      'New password and confirmation must be the same.',
    ],
    [
      'five characters',
      filled('secret', '12345', '12345'),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
  ])('disables its button with %s, and refuses Enter as well', async (_what, values, title, description) => {
    openPassword();
    fill(values);
    expect(button()).toBeDisabled();
    submit();
    await expectToast(title, description);
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it("shows 'Passwords do not match' while typing, once there is something to compare", () => {
    openPassword();
    fill(filled('secret', '123456', ''));
    expect(screen.queryByText('Passwords do not match')).not.toBeInTheDocument();
    fill({ 'Confirm new password': '1' });
    expect(screen.getByText('Passwords do not match')).toBeVisible();
    expect(screen.getByLabelText('Confirm new password')).toBeInvalid();
    fill({ 'Confirm new password': '123456' });
    expect(screen.queryByText('Passwords do not match')).not.toBeInTheDocument();
    expect(button()).toBeEnabled();
  });

  it('sends the change, shows a toast and clears its fields', async () => {
    openPassword();
    answer(200, { success: true });
    fill(filled('secret', '123456', '123456'));
    fireEvent.click(button());
    await expectToast('Password changed');
    expect(call()).toEqual([
      'PUT',
      '/api/user/7/password',
      '{"currentPassword":"secret","newPassword":"123456"}',
    ]);
    expect(screen.getByLabelText('New password')).toHaveValue('');
    expect(button()).toBeDisabled();
  });

  it.each([
    [403, { message: 'The current password is not correct.' }, 'The current password is not correct.'],
    [500, {}, 'Could not change password. Please check your current password.'],
  ])("reports a failure with %d %j as '%s'", async (status, body, description) => {
    openPassword();
    answer(status, body);
    fill(filled('wrong', '123456', '123456'));
    fireEvent.click(button());
    await expectToast('Error changing password', description);
  });
});

describe('the conversion form', () => {
  const filled = (email: string, password: string, again: string): Record<string, string> => ({
    Email: email,
    Password: password,
    'Confirm Password': again,
  });

  it.each([
    ['nothing', filled('', '', ''), 'Missing fields', 'Please fill in all fields.'],
    ['no address', filled(' ', 'secret1', 'secret1'), 'Missing fields', 'Please fill in all fields.'],
    [
      'no confirmation',
      filled('a@example.com', 'secret1', ''),
      'Missing fields',
      'Please fill in all fields.',
    ],
    [
      'two different passwords',
      filled('a@example.com', 'secret1', 'secret2'),
      "Passwords don't match",
      'Please make sure both passwords are identical.',
    ],
    [
      'five characters',
      filled('a@example.com', '12345', '12345'),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
  ])('is not sent with %s', async (_what, values, title, description) => {
    openConversion();
    fill(values);
    fireEvent.click(button());
    await expectToast(title, description);
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('is pending during the request; then the user has an account under the same id', async () => {
    openConversion();
    let finish: (response: Response) => void = () => undefined;
    fetchMock.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
    fill(filled(' ada@example.com ', 'secret1', 'secret1'));
    fireEvent.click(button());
    await waitFor(() => expect(button()).toBeDisabled());
    expect(onPending.mock.calls).toEqual([[true]]);
    expect(call()).toEqual([
      'POST',
      '/api/convert-anonymous',
      '{"userId":7,"email":"ada@example.com","password":"secret1"}',
    ]);
    finish(new Response(JSON.stringify({ user: ada })));
    await expectToast('Account created successfully!');
    await waitFor(() => expect(onPending.mock.calls).toEqual([[true], [false]]));
    expect(onConverted).toHaveBeenCalledTimes(1);
    expect(currentUser()).toMatchObject({ id: 7, isAnonymous: false, email: 'ada@example.com' });
  });

  it.each([
    [409, { message: 'This email address is taken.' }, 'This email address is taken.'],
    [500, {}, 'Could not convert account. Please try again.'],
  ])("reports a failure with %d %j as '%s'", async (status, body, description) => {
    openConversion();
    answer(status, body);
    fill(filled('ada@example.com', 'secret1', 'secret1'));
    fireEvent.click(button());
    await expectToast('Conversion failed', description);
    expect(onConverted).not.toHaveBeenCalled();
    expect(currentUser()?.isAnonymous).toBe(true);
    await waitFor(() => expect(button()).toBeEnabled());
  });
});
