import { render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { LegalPage } from '@/features/legal/components/legal-page';
import { Consent } from '@/features/legal/consent/consent';

const renderInRouter = (element: React.ReactElement) => render(<MemoryRouter>{element}</MemoryRouter>);

it('shows a consent notice by which visitors confirm that they are adults, with links to the legal texts', () => {
  renderInRouter(<Consent />);
  expect(screen.getByText('By continuing you confirm that you are 18 or older.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Terms' })).toHaveAttribute('href', '/terms');
  expect(screen.getByRole('link', { name: 'Privacy' })).toHaveAttribute('href', '/privacy');
  expect(screen.getByRole('link', { name: 'House rules' })).toHaveAttribute('href', '/rules');
});

it.each([
  ['terms', 'Terms', 'Privacy', '/privacy'],
  ['privacy', 'Privacy', 'Terms', '/terms'],
  ['rules', 'House rules', 'Terms', '/terms'],
] as const)(
  'shows the %s with at least four sections, a link to another text and one back to the start',
  (which, title, otherTitle, otherAddress) => {
    renderInRouter(<LegalPage which={which} />);
    expect(screen.getByRole('heading', { level: 1, name: title })).toBeVisible();
    expect(document.title).toBe(`${title} · Thaw`);
    const page = within(screen.getByRole('main'));
    expect(page.getAllByRole('region').length).toBeGreaterThanOrEqual(4);
    expect(page.getByRole('link', { name: otherTitle })).toHaveAttribute('href', otherAddress);
    expect(page.getByRole('link', { name: 'Back to the start' })).toHaveAttribute('href', '/');
  },
);

it('lists seven house rules, each with a title and two sentences', () => {
  renderInRouter(<LegalPage which="rules" />);
  const listed = within(screen.getByRole('list')).getAllByRole('listitem');
  expect(listed.map((rule) => within(rule).getByRole('heading', { level: 2 }).textContent)).toEqual([
    'Adults only.',
    'No threats, no violence.',
    'Nothing sexual that the other does not want.',
    'No hate.',
    'Private details stay private.',
    'No advertising, no fraud.',
    'Nothing that the law forbids.',
  ]);
  for (const rule of listed) {
    // Counts the full stops at the end of a sentence.
    expect(rule.querySelector('p')?.textContent?.match(/[.](?= |$)/g)).toHaveLength(2);
  }
});
