import { render, screen } from '@testing-library/react';
import { ShortcutsList } from '@/app/shortcuts/shortcuts-list';

it('shows the shortcuts in a dialog', () => {
  render(<ShortcutsList onDismiss={() => undefined} />);
  expect(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  expect(screen.getByText('Switch to a friend')).toBeVisible();
});
