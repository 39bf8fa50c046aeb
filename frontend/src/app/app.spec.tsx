import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link, MemoryRouter } from 'react-router-dom';
import { AppRoutes } from '@/app/app';

jest.mock('@/app/routes/landing-route', () => ({ LandingRoute: () => 'the landing page' }));
jest.mock('@/app/routes/auth-route', () => ({
  AuthRoute: () => {
    throw new Error('broken page');
  },
}));

afterEach(() => jest.restoreAllMocks());

it('replaces the error of a failed page when the address changes', async () => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  render(
    <MemoryRouter initialEntries={['/auth']}>
      <AppRoutes />
      <Link to="/">elsewhere</Link>
    </MemoryRouter>,
  );
  expect(await screen.findByRole('heading', { name: 'Something broke' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('link', { name: 'elsewhere' }));
  expect(await screen.findByText('the landing page')).toBeInTheDocument();
});

it.each([
  // Capitals and a slash at the end make no difference. The sign-in page fails in this file.
  ['/Auth/', 'Something broke'],
  ['/auth/nowhere', 'Page Not Found'],
])('the address %s shows the page with the heading %s', async (path, heading) => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  render(
    <MemoryRouter initialEntries={[path]}>
      <AppRoutes />
    </MemoryRouter>,
  );
  expect(await screen.findByRole('heading', { name: heading })).toBeInTheDocument();
});
