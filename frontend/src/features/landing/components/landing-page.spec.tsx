import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router-dom';
import { LandingPage } from '@/features/landing/components/landing-page';

const renderPage = (isStarting = false) => {
  const join = jest.fn();
  render(
    <MemoryRouter>
      <LandingPage isStarting={isStarting} onJoinAnonymously={join} consent={<p>consent</p>} />
    </MemoryRouter>,
  );
  return join;
};

it('shows each of its three actions twice, and all of them work', async () => {
  const join = renderPage();
  const user = userEvent.setup();
  const logins = screen.getAllByRole('link', { name: 'Login' });
  const registers = screen.getAllByRole('link', { name: 'Register' });
  const joins = screen.getAllByRole('button', { name: 'Join Anonymously' });
  expect([logins.length, registers.length, joins.length]).toEqual([2, 2, 2]);
  for (const login of logins) expect(login).toHaveAttribute('href', '/auth');
  for (const register of registers) expect(register).toHaveAttribute('href', '/auth?register=true');
  for (const button of joins) await user.click(button);
  expect(join).toHaveBeenCalledTimes(2);
});

it("repeats the button 'Join Anonymously' in the closing section 'Ready to make Friends?'", () => {
  renderPage();
  const closing = screen.getByRole('region', { name: 'Ready to make Friends?' });
  expect(within(closing).getByRole('button', { name: 'Join Anonymously' })).toBeVisible();
});

it("shows disabled 'Starting...' buttons while the session starts", () => {
  renderPage(true);
  for (const button of screen.getAllByRole('button', { name: 'Starting...' })) expect(button).toBeDisabled();
});

it('shows the consent notice twice, once for each group of actions, without a checkbox', () => {
  renderPage();
  expect(screen.getAllByText('consent')).toHaveLength(2);
  expect(screen.queryByRole('checkbox')).toBeNull();
});
