import { fireEvent, render, screen } from '@testing-library/react';
import { shell, useShell } from '@/app/shell/shell-store';
import { ShortcutsList } from '@/app/shortcuts/shortcuts-list';
import { useShortcuts } from '@/app/shell/use-shortcuts';

const Page = ({ hasDialog = false }: { hasDialog?: boolean }) => {
  useShortcuts();
  return (
    <>
      <textarea aria-label="Message" />
      {hasDialog ? <div role="dialog" /> : null}
    </>
  );
};
const modal = () => useShell.getState().modal;

beforeEach(() => shell.reset());

it.each([{ ctrlKey: true }, { metaKey: true }])(
  'switches friends with K and %p, from the text field too, and keeps the key from the browser',
  (modifier) => {
    render(<Page />);
    const field = screen.getByLabelText('Message');
    expect(fireEvent.keyDown(field, { key: 'k', ...modifier })).toBe(false);
    expect(modal()).toBe('switch-friend');
  },
);

it('lists the shortcuts with a question mark, except where one is typed', () => {
  render(<Page />);
  expect(fireEvent.keyDown(screen.getByLabelText('Message'), { key: '?', shiftKey: true })).toBe(true);
  expect(modal()).toBeUndefined();
  fireEvent.keyDown(document.body, { key: '?', shiftKey: true });
  expect(modal()).toBe('shortcuts');
});

it('opens nothing over another dialog', () => {
  render(<Page hasDialog />);
  fireEvent.keyDown(document.body, { key: '?' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(modal()).toBeUndefined();
});

it('leaves K alone, and with other keys held, to the page', () => {
  render(<Page />);
  for (const keys of [{}, { ctrlKey: true, shiftKey: true }, { altKey: true, ctrlKey: true }]) {
    expect(fireEvent.keyDown(document.body, { key: 'k', ...keys })).toBe(true);
  }
  expect(modal()).toBeUndefined();
});

it('names the keys and what they do', () => {
  render(<ShortcutsList onDismiss={() => undefined} />);
  expect(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  expect(screen.getByText('Switch to a friend')).toBeVisible();
});
