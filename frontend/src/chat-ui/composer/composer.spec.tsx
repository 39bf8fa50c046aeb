import { act, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createRef } from 'react';
import { type Attachment } from '@/chat-ui/composer/attachment';
import {
  Composer,
  type ComposerDraft,
  type ComposerHandle,
  type ComposerProps,
} from '@/chat-ui/composer/composer';
import { aMessage } from '@/testing/factories';

const renderComposer = ({ acceptsMessages = true } = {}) => {
  const onSend = jest.fn(() => acceptsMessages);
  const onType = jest.fn();
  const view = render(<Composer onSend={onSend} onType={onType} />);
  return {
    onSend,
    onType,
    view,
    field: screen.getByRole('textbox', { name: 'Message' }),
    user: userEvent.setup(),
  };
};

it('breaks the line on Shift+Enter and sends on Enter, and is then empty and focused', async () => {
  const { onSend, field, user } = renderComposer();
  await user.type(field, 'one{Shift>}{Enter}{/Shift}two{Enter}');
  expect(onSend).toHaveBeenCalledWith({ text: 'one\ntwo', attachment: null });
  expect(field).toHaveValue('');
  expect(field).toHaveFocus();
});

it('does not send on the Enter that ends an IME composition', () => {
  const { onSend, field } = renderComposer();
  fireEvent.change(field, { target: { value: 'にほん' } });
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  // Safari reports the Enter that ends a composition like this.
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(onSend).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(onSend).toHaveBeenCalledWith({ text: 'にほん', attachment: null });
});

it('disables Send while the text is blank', async () => {
  const { onSend, field, user } = renderComposer();
  const button = screen.getByRole('button', { name: 'Send' });
  expect(button).toBeDisabled();
  await user.type(field, '   {Enter}');
  expect(button).toBeDisabled();
  expect(onSend).not.toHaveBeenCalled();
  await user.type(field, 'x');
  expect(button).toBeEnabled();
});

it('keeps the text when onSend returns false', async () => {
  const { field, user } = renderComposer({ acceptsMessages: false });
  await user.type(field, 'hello{Enter}');
  expect(field).toHaveValue('hello');
});

it('shows the count from 1,800 code points and accepts at most 2,000', () => {
  const { field } = renderComposer();
  fireEvent.change(field, { target: { value: 'x'.repeat(1_799) } });
  expect(screen.queryByText(/characters/)).not.toBeInTheDocument();
  // Each emoji is one code point, but two UTF-16 code units.
  fireEvent.change(field, { target: { value: '😂'.repeat(1_800) } });
  expect(screen.getByText('1,800 of 2,000 characters')).toBeInTheDocument();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_000) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeEnabled();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_001) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled();
});

it('reports typing only while the text is not blank', async () => {
  const { onType, field, user } = renderComposer();
  await user.type(field, ' ');
  expect(onType).not.toHaveBeenCalled();
  await user.type(field, 'a');
  expect(onType).toHaveBeenCalledTimes(1);
});

// If the outbox cannot send a message, it returns the message to the composer.
describe('a returned message', () => {
  const renderWithHandle = (props: Partial<ComposerProps> = {}) => {
    const ref = createRef<ComposerHandle>();
    const draftChanges: Partial<ComposerDraft>[] = [];
    const draft = {
      initial: { text: '', hasPicture: false },
      onChange: (changes: object) => draftChanges.push(changes),
    };
    render(<Composer ref={ref} onSend={() => true} canAttach draft={draft} {...props} />);
    const takeBack = (text: string, attachment: Attachment | null = null): boolean | undefined =>
      ref.current?.takeBack({ text, attachment });
    return { takeBack, draftChanges, field: screen.getByRole('textbox', { name: 'Message' }) };
  };
  /** A picture that was uploaded before its message was returned. */
  const attachment: Attachment = { previewUrl: '/api/files/a.webp', file: null, url: '/api/files/a.webp' };

  it('is put before the current text, and two of them keep their order', () => {
    const { takeBack, draftChanges, field } = renderWithHandle();
    fireEvent.change(field, { target: { value: 'new' } });
    act(() => {
      takeBack('first');
      takeBack('second');
    });
    expect(field).toHaveValue('first\nsecond\nnew');
    expect(draftChanges.at(-1)).toEqual({ text: 'first\nsecond\nnew' });
  });

  it('restores its picture in an empty composer', () => {
    const { takeBack, field } = renderWithHandle();
    act(() => expect(takeBack('look', attachment)).toBe(true));
    expect(field).toHaveValue('look');
    expect(screen.getByRole('button', { name: 'Remove photo' })).toBeVisible();
  });

  it('that has a picture is refused while the composer has a text', () => {
    const { takeBack, field } = renderWithHandle();
    fireEvent.change(field, { target: { value: 'busy' } });
    act(() => expect(takeBack('look', attachment)).toBe(false));
    expect(field).toHaveValue('busy');
    fireEvent.change(field, { target: { value: '' } });
    act(() => expect(takeBack('look', attachment)).toBe(true));
  });

  it('that has a picture is refused while the composer has another one', () => {
    const { takeBack, field } = renderWithHandle();
    act(() => void takeBack('one', attachment));
    act(() => expect(takeBack('two', attachment)).toBe(false));
    expect(field).toHaveValue('one');
  });

  it('that has a picture is refused during a reply', () => {
    const reply = {
      kind: 'reply',
      message: aMessage(),
      name: 'brave-heron-7',
      isMine: false,
      quote: 'hi',
    } as const;
    const { takeBack } = renderWithHandle({ task: reply });
    act(() => expect(takeBack('look', attachment)).toBe(false));
  });
});

it('says after a reload that the picture was not kept, until the next message is sent', async () => {
  const draft = { initial: { text: 'look', hasPicture: true }, onChange: () => undefined };
  render(<Composer onSend={() => true} canAttach draft={draft} />);
  expect(screen.getByRole('status')).toHaveTextContent('Your photo was not kept: please attach it again.');
  await userEvent.type(screen.getByRole('textbox'), '{Enter}');
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
});

describe('a key pressed outside the field', () => {
  const pressKey = (key: string, target: Element = document.body, modifiers: object = {}): void =>
    void fireEvent.keyDown(target, { key, ...modifiers });

  it('moves the focus to the field if it is a character', () => {
    const { field } = renderComposer();
    expect(field).not.toHaveFocus();
    pressKey('a');
    expect(field).toHaveFocus();
  });

  it('does not move the focus to the field if it is another key, a shortcut or "?"', () => {
    const { field } = renderComposer();
    // '?' is a shortcut of the page.
    for (const key of ['ArrowUp', 'Tab', 'Escape', 'Enter', '?']) pressKey(key);
    pressKey('a', document.body, { ctrlKey: true });
    expect(field).not.toHaveFocus();
  });

  it.each([
    ['an input', '<input>', 'input', 'a'],
    ['a dialog', '<div role="dialog"><button>x</button></div>', 'button', 'a'],
    ['a button that Space presses', '<button>x</button>', 'button', ' '],
  ])('does not move the focus to the field from %s', (_name, html, selector, key) => {
    const { field } = renderComposer();
    const other = document.body.appendChild(document.createElement('div'));
    other.innerHTML = html;
    pressKey(key, other.querySelector(selector) ?? other);
    expect(field).not.toHaveFocus();
    other.remove();
  });

  it('does not move the focus to a chat that is inert beneath another one', () => {
    const { field, view } = renderComposer();
    view.container.setAttribute('inert', '');
    pressKey('a');
    expect(field).not.toHaveFocus();
  });
});

it('calls onEditLast on Arrow Up in an empty field only', () => {
  const onEditLast = jest.fn();
  render(<Composer onSend={() => true} onEditLast={onEditLast} />);
  const field = screen.getByRole('textbox');
  fireEvent.change(field, { target: { value: 'x' } });
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(onEditLast).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(onEditLast).toHaveBeenCalledTimes(1);
});

it('inserts a line break with the New line button, which CSS shows on touch screens only', async () => {
  const { field, onSend, user } = renderComposer();
  await user.type(field, 'one');
  await user.click(screen.getByText('New line'));
  await user.type(field, 'two');
  expect(field).toHaveValue('one\ntwo');
  expect(onSend).not.toHaveBeenCalled();
});

it('recomputes its height when its width changes', () => {
  let triggerResize: () => void = () => undefined;
  const originalResizeObserver = globalThis.ResizeObserver;
  globalThis.ResizeObserver = class {
    constructor(onResize: () => void) {
      triggerResize = onResize;
    }
    observe(): void {}
    disconnect(): void {}
  } as unknown as typeof ResizeObserver;
  const { field } = renderComposer();
  // A real ResizeObserver calls back for any new size; the composer ignores a call with the same width. jsdom computes
  // no layout, so the width was 0 until now.
  Object.defineProperties(field, { scrollHeight: { value: 96 }, clientWidth: { value: 300 } });
  act(() => triggerResize());
  expect(field).toHaveStyle({ height: '96px' });
  globalThis.ResizeObserver = originalResizeObserver;
});
