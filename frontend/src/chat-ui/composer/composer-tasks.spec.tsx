import { act, fireEvent, render, screen } from '@testing-library/react';
import { limits } from '@thaw/contract/limits';
import { Composer, type ComposerProps } from '@/chat-ui/composer/composer';
import { aMessage } from '@/testing/factories';

const photo = new File(['x'], 'dot.png', { type: 'image/png' });
const createPngOfSize = (size: number): File =>
  Object.defineProperty(new File([], 'a.png', { type: 'image/png' }), 'size', { value: size });

const renderComposer = (props: Partial<ComposerProps> = {}) => {
  const onSend = jest.fn(() => true);
  const { container, rerender } = render(<Composer onSend={onSend} {...props} />);
  const chooseFile = (file: File): void => {
    fireEvent.change(container.querySelector('input[type=file]')!, { target: { files: [file] } });
  };
  const rerenderComposer = (changes: Partial<ComposerProps>): void =>
    rerender(<Composer onSend={onSend} {...props} {...changes} />);
  return { onSend, chooseFile, rerenderComposer };
};

const getField = (): HTMLElement => screen.getByRole('textbox', { name: 'Message' });
const typeText = (value: string): void => {
  fireEvent.change(getField(), { target: { value } });
};
const pressEnter = async (): Promise<void> =>
  act(async () => {
    fireEvent.keyDown(getField(), { key: 'Enter' });
  });
const queryRemoveButton = (): HTMLElement | null => screen.queryByRole('button', { name: 'Remove photo' });

const revokeObjectURL = jest.fn();
let warn: jest.SpyInstance;
beforeEach(() => {
  URL.createObjectURL = () => 'blob:photo';
  revokeObjectURL.mockReset();
  URL.revokeObjectURL = revokeObjectURL;
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

describe('a photo', () => {
  it('is sent with its caption, and the composer is then empty', async () => {
    const { onSend, chooseFile } = renderComposer({ canAttach: true });
    chooseFile(photo);
    typeText('look');
    await pressEnter();
    const attachment = { previewUrl: 'blob:photo', file: photo, url: null };
    expect(onSend).toHaveBeenLastCalledWith({ text: 'look', attachment });
    expect(queryRemoveButton()).toBeNull();
    expect(getField()).toHaveValue('');
    // The sent message still shows the preview.
    expect(revokeObjectURL).not.toHaveBeenCalled();
  });

  it('is accepted if it has exactly 5 MiB', () => {
    const { chooseFile } = renderComposer({ canAttach: true });
    chooseFile(createPngOfSize(limits.imageMaxBytes));
    expect(queryRemoveButton()).toBeVisible();
  });

  it.each([
    { flaw: 'is one byte larger than 5 MiB', file: createPngOfSize(limits.imageMaxBytes + 1) },
    { flaw: 'is not an image', file: new File(['x'], 'notes.txt', { type: 'text/plain' }) },
  ])('is only reported in the console if it $flaw', ({ file }) => {
    const { chooseFile } = renderComposer({ canAttach: true });
    chooseFile(file);
    expect(queryRemoveButton()).toBeNull();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('stays in the composer with its caption when `onSend` refuses it', async () => {
    const { chooseFile } = renderComposer({ canAttach: true, onSend: () => false });
    chooseFile(photo);
    typeText('my words');
    await pressEnter();
    expect(queryRemoveButton()).toBeVisible();
    expect(getField()).toHaveValue('my words');
  });

  it('frees its preview when it is removed', () => {
    const { chooseFile } = renderComposer({ canAttach: true });
    chooseFile(photo);
    fireEvent.click(queryRemoveButton()!);
    expect(revokeObjectURL).toHaveBeenCalledWith('blob:photo');
  });
});

describe('an edit', () => {
  const message = aMessage({ senderId: 7, content: 'as it was' });

  it('hides Attach', () => {
    renderComposer({ canAttach: true, task: { kind: 'edit', message } });
    expect(screen.queryByRole('button', { name: 'Attach photo' })).toBeNull();
  });

  it('saves its text on Enter, unless it is blank', async () => {
    const onSave = jest.fn(() => true);
    const onEndTask = jest.fn();
    renderComposer({ onSave, onEndTask, task: { kind: 'edit', message } });
    typeText('  ');
    await pressEnter();
    expect(onSave).not.toHaveBeenCalled();
    typeText('as it is');
    await pressEnter();
    expect(onSave).toHaveBeenCalledWith('as it is');
    expect(onEndTask).toHaveBeenCalled();
  });

  it('replaces the draft, which returns when the edit ends', async () => {
    const { rerenderComposer } = renderComposer({ onSave: () => true });
    typeText('half a thought');
    rerenderComposer({ task: { kind: 'edit', message } });
    expect(getField()).toHaveValue('as it was');
    typeText('as it is');
    await pressEnter();
    rerenderComposer({ task: null });
    expect(getField()).toHaveValue('half a thought');
  });

  it('starts with the text of the earlier edit if that could not be saved', () => {
    renderComposer({ task: { kind: 'edit', message, text: 'as it should be' } });
    expect(getField()).toHaveValue('as it should be');
  });

  it('stays open when `onSave` refuses it', async () => {
    const onEndTask = jest.fn();
    renderComposer({ onSave: () => false, onEndTask, task: { kind: 'edit', message } });
    typeText('as it is');
    await pressEnter();
    expect(onEndTask).not.toHaveBeenCalled();
  });

  it('is cancelled by Escape', () => {
    const onEndTask = jest.fn();
    renderComposer({ onEndTask, task: { kind: 'edit', message } });
    fireEvent.keyDown(getField(), { key: 'Escape' });
    expect(onEndTask).toHaveBeenCalledTimes(1);
  });
});
