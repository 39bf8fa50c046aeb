import { fireEvent, render, screen } from '@testing-library/react';
import { shell, useShell } from '@/app/shell/shell-store';
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
/** Returns whether the page prevented the default action of the browser. */
const pressKey = (target: Element, init: object): boolean => !fireEvent.keyDown(target, init);
const getModal = () => useShell.getState().modal;

beforeEach(() => shell.reset());

it.each([{ ctrlKey: true }, { metaKey: true }])(
  'opens the friend switcher on K with %p, also in a text field, instead of the default action of the browser',
  (modifier) => {
    render(<Page />);
    const field = screen.getByLabelText('Message');
    expect(pressKey(field, { key: 'k', ...modifier })).toBe(true);
    expect(getModal()).toBe('switch-friend');
  },
);

it('lists the shortcuts on a question mark, except in a text field', () => {
  render(<Page />);
  expect(pressKey(screen.getByLabelText('Message'), { key: '?', shiftKey: true })).toBe(false);
  expect(getModal()).toBeUndefined();
  pressKey(document.body, { key: '?', shiftKey: true });
  expect(getModal()).toBe('shortcuts');
});

it('opens nothing while another dialog is open', () => {
  render(<Page hasDialog />);
  pressKey(document.body, { key: '?', shiftKey: true });
  pressKey(document.body, { key: 'k', ctrlKey: true });
  expect(getModal()).toBeUndefined();
});

it('ignores K alone, and Ctrl+K with Shift or Alt', () => {
  render(<Page />);
  for (const keys of [{}, { ctrlKey: true, shiftKey: true }, { altKey: true, ctrlKey: true }]) {
    expect(pressKey(document.body, { key: 'k', ...keys })).toBe(false);
  }
  expect(getModal()).toBeUndefined();
});
