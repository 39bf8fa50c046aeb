import { act, fireEvent, render, screen } from '@testing-library/react';
import { limits } from '@thaw/contract/limits';
import { type Returned } from '@/chat-ui/chat-message';
import { Composer, type ComposerProps } from '@/chat-ui/composer';
import { aMessage } from '@/testing/factories';

const url = '/api/files/chat-images/0b0f3f2a-5a86-4a61-9a0e-6a4b8c1d2e3f.webp';
const photo = new File(['x'], 'dot.png', { type: 'image/png' });

const setUp = (props: Partial<ComposerProps> = {}) => {
  const onSend = jest.fn(() => true);
  const { container, rerender } = render(<Composer onSend={onSend} {...props} />);
  const choose = (file: File): void => {
    fireEvent.change(container.querySelector('input[type=file]')!, { target: { files: [file] } });
  };
  const again = (changes: Partial<ComposerProps>): void =>
    rerender(<Composer onSend={onSend} {...props} {...changes} />);
  return { onSend, choose, again };
};

const field = (): HTMLElement => screen.getByRole('textbox', { name: 'Message' });
const write = (value: string): void => void fireEvent.change(field(), { target: { value } });
const enter = async (): Promise<void> => act(async () => void fireEvent.keyDown(field(), { key: 'Enter' }));
const remove = (): HTMLElement | null => screen.queryByRole('button', { name: 'Remove photo' });

let warn: jest.SpyInstance;
beforeEach(() => {
  URL.createObjectURL = () => 'blob:photo';
  URL.revokeObjectURL = jest.fn();
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

describe('a photo', () => {
  it('is sent alone as an image, and with words as a mixed message', async () => {
    const { onSend, choose } = setUp({ upload: async () => url });
    choose(photo);
    await enter();
    expect(onSend).toHaveBeenLastCalledWith({ content: url, type: 'image' });
    choose(photo);
    write('look');
    await enter();
    expect(onSend).toHaveBeenLastCalledWith({ content: `look\n[IMAGE:${url}]`, type: 'mixed' });
    expect(remove()).toBeNull();
    expect(field()).toHaveValue('');
  });

  it('of exactly 5 MiB passes; one byte more, or no image, is refused in the console alone (A95)', () => {
    const { choose } = setUp({ upload: async () => url });
    const ofSize = (size: number): File =>
      Object.defineProperty(new File([], 'a.png', { type: 'image/png' }), 'size', { value: size });
    choose(ofSize(limits.imageMaxBytes + 1));
    choose(new File(['x'], 'notes.txt', { type: 'text/plain' }));
    expect(remove()).toBeNull();
    expect(warn).toHaveBeenCalledTimes(2);
    choose(ofSize(limits.imageMaxBytes));
    expect(remove()).toBeVisible();
  });

  it('that cannot be stored cancels the send; the words stay (A97)', async () => {
    const { onSend, choose } = setUp({ upload: () => Promise.reject(new Error('503: no')) });
    choose(photo);
    write('my words');
    await enter();
    expect(onSend).not.toHaveBeenCalled();
    expect(remove()).toBeNull();
    expect(field()).toHaveValue('my words');
  });

  it('is not uploaded while nothing can be sent', async () => {
    const upload = jest.fn(async () => url);
    const { choose } = setUp({ upload, isAbleToSend: () => false });
    choose(photo);
    await enter();
    expect(upload).not.toHaveBeenCalled();
    expect(remove()).toBeVisible();
  });

  it('comes back with its words when the server asks for a pause (A90)', async () => {
    let give: (returned: Returned) => void = () => undefined;
    const upload = jest.fn(async () => url);
    const { onSend } = setUp({
      upload,
      onReturned: (take) => {
        give = take;
        return () => undefined;
      },
    });
    act(() => give({ content: `look\n[IMAGE:${url}]`, type: 'mixed' }));
    expect(field()).toHaveValue('look');
    await enter();
    expect(upload).not.toHaveBeenCalled();
    expect(onSend).toHaveBeenCalledWith({ content: `look\n[IMAGE:${url}]`, type: 'mixed' });
  });
});

describe('an edit', () => {
  const message = aMessage({ senderId: 7, content: 'as it was' });

  it('loads the text, saves with Enter, and gives back what was begun before', async () => {
    const onSave = jest.fn(() => true);
    const onCancelTask = jest.fn();
    const { again } = setUp({ onSave, onCancelTask, upload: async () => url });
    write('half a thought');
    again({ task: { kind: 'edit', message } });
    expect(field()).toHaveValue('as it was');
    expect(screen.queryByRole('button', { name: 'Attach photo' })).toBeNull();
    write('  ');
    await enter();
    expect(onSave).not.toHaveBeenCalled();
    write('as it is');
    await enter();
    expect(onSave).toHaveBeenCalledWith('as it is');
    expect(onCancelTask).toHaveBeenCalled();
    again({ task: null });
    expect(field()).toHaveValue('half a thought');
  });

  it('stays open when it could not be sent, and is given up with Escape', async () => {
    const onCancelTask = jest.fn();
    setUp({ onSave: () => false, onCancelTask, task: { kind: 'edit', message } });
    write('as it is');
    await enter();
    expect(onCancelTask).not.toHaveBeenCalled();
    fireEvent.keyDown(field(), { key: 'Escape' });
    expect(onCancelTask).toHaveBeenCalledTimes(1);
  });
});
