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

const renderComposer = (onSend: (text: string) => boolean = () => true) => {
  const send = jest.fn(({ text }: { text: string }) => onSend(text));
  const type = jest.fn();
  const view = render(<Composer onSend={send} onType={type} />);
  return {
    send,
    type,
    view,
    field: screen.getByRole('textbox', { name: 'Message' }),
    user: userEvent.setup(),
  };
};

it('sends on Enter, breaks the line on Shift+Enter, and is empty and focused afterwards', async () => {
  const { send, field, user } = renderComposer();
  await user.type(field, 'one{Shift>}{Enter}{/Shift}two{Enter}');
  expect(send).toHaveBeenCalledWith({ text: 'one\ntwo', attachment: null });
  expect(field).toHaveValue('');
  expect(field).toHaveFocus();
});

it('does not send on the Enter that ends a composition', () => {
  const { send, field } = renderComposer();
  fireEvent.change(field, { target: { value: 'にほん' } });
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(send).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(send).toHaveBeenCalledWith({ text: 'にほん', attachment: null });
});

it('disables Send while the text is blank', async () => {
  const { send, field, user } = renderComposer();
  const button = screen.getByRole('button', { name: 'Send' });
  expect(button).toBeDisabled();
  await user.type(field, '   {Enter}');
  expect(button).toBeDisabled();
  expect(send).not.toHaveBeenCalled();
  await user.type(field, 'x');
  expect(button).toBeEnabled();
});

it('keeps text that was not accepted', async () => {
  const { field, user } = renderComposer(() => false);
  await user.type(field, 'hello{Enter}');
  expect(field).toHaveValue('hello');
});

it('shows the count from 1,800 code points and accepts at most 2,000', () => {
  const { field } = renderComposer();
  fireEvent.change(field, { target: { value: 'x'.repeat(1_799) } });
  expect(screen.queryByText(/characters/)).not.toBeInTheDocument();
  fireEvent.change(field, { target: { value: '😂'.repeat(1_800) } });
  expect(screen.getByText('1,800 of 2,000 characters')).toBeInTheDocument();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_000) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeEnabled();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_001) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled();
});

it('reports typing', async () => {
  const { type, field, user } = renderComposer();
  await user.type(field, ' ');
  expect(type).not.toHaveBeenCalled();
  await user.type(field, 'a');
  expect(type).toHaveBeenCalledTimes(1);
});

describe('a returned message', () => {
  const renderWithHandle = (props: Partial<ComposerProps> = {}) => {
    const ref = createRef<ComposerHandle>();
    const draftChanges: Partial<ComposerDraft>[] = [];
    const draft = {
      initial: { text: '', hasPicture: false },
      onChange: (part: object) => draftChanges.push(part),
    };
    render(<Composer ref={ref} onSend={() => true} canAttach draft={draft} {...props} />);
    const takeBack = (text: string, attachment: Attachment | null = null): boolean | undefined =>
      ref.current?.takeBack({ text, attachment });
    return { takeBack, draftChanges, field: screen.getByRole('textbox', { name: 'Message' }) };
  };
  const attachment: Attachment = { previewUrl: '/api/files/a.webp', file: null, url: '/api/files/a.webp' };

  it('is put before the current text, several in the order of writing', () => {
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

  it('with a picture is refused while the composer holds another text, picture or reply', () => {
    const { takeBack, field } = renderWithHandle();
    fireEvent.change(field, { target: { value: 'busy' } });
    act(() => expect(takeBack('look', attachment)).toBe(false));
    expect(field).toHaveValue('busy');
    fireEvent.change(field, { target: { value: '' } });
    act(() => void takeBack('one', attachment));
    act(() => expect(takeBack('two', attachment)).toBe(false));
    expect(field).toHaveValue('one');
  });
});

it('says after a reload that an attached photo was not kept, until the next message is sent', async () => {
  const draft = { initial: { text: 'look', hasPicture: true }, onChange: () => undefined };
  render(<Composer onSend={() => true} canAttach draft={draft} />);
  expect(screen.getByRole('status')).toHaveTextContent('Your photo was not kept: please attach it again.');
  await userEvent.type(screen.getByRole('textbox'), '{Enter}');
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
});

describe('typing anywhere', () => {
  const pressKey = (key: string, target: Element = document.body, modifiers: object = {}): void =>
    void fireEvent.keyDown(target, { key, ...modifiers });

  it('moves the focus to the field, for printable characters only', () => {
    const { field } = renderComposer();
    for (const key of ['ArrowUp', 'Tab', 'Escape', 'Enter', '?']) pressKey(key);
    pressKey('a', document.body, { ctrlKey: true });
    expect(field).not.toHaveFocus();
    pressKey('a');
    expect(field).toHaveFocus();
  });

  it.each([
    ['an input', '<input>', 'input', 'a'],
    ['a dialog', '<div role="dialog"><button>x</button></div>', 'button', 'a'],
    ['a button that Space presses', '<button>x</button>', 'button', ' '],
  ])('keeps the focus in %s', (_where, html, selector, key) => {
    const { field } = renderComposer();
    const other = document.body.appendChild(document.createElement('div'));
    other.innerHTML = html;
    pressKey(key, other.querySelector(selector) ?? other);
    expect(field).not.toHaveFocus();
    other.remove();
  });

  it('does not reach an inert chat beneath another', () => {
    const { field, view } = renderComposer();
    view.container.setAttribute('inert', '');
    pressKey('a');
    expect(field).not.toHaveFocus();
  });
});

it('edits the last message on Arrow Up in an empty field only', () => {
  const editLast = jest.fn();
  render(<Composer onSend={() => true} onEditLast={editLast} />);
  const field = screen.getByRole('textbox');
  fireEvent.change(field, { target: { value: 'x' } });
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(editLast).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(editLast).toHaveBeenCalledTimes(1);
});

it('inserts a line break with the button of touch screens', async () => {
  const { field, send, user } = renderComposer();
  await user.type(field, 'one');
  await user.click(screen.getByText('New line'));
  await user.type(field, 'two');
  expect(field).toHaveValue('one\ntwo');
  expect(send).not.toHaveBeenCalled();
});

it('recomputes its height when its width changes', () => {
  let triggerResize: () => void = () => undefined;
  const before = globalThis.ResizeObserver;
  globalThis.ResizeObserver = class {
    constructor(onResize: () => void) {
      triggerResize = onResize;
    }
    observe(): void {}
    disconnect(): void {}
  } as unknown as typeof ResizeObserver;
  const { field } = renderComposer();
  Object.defineProperties(field, { scrollHeight: { value: 96 }, clientWidth: { value: 300 } });
  act(() => triggerResize());
  expect(field).toHaveStyle({ height: '96px' });
  globalThis.ResizeObserver = before;
});
