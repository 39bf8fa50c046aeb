import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Returned } from '@/chat-ui/chat-message';
import { Composer } from '@/chat-ui/composer';

const setUp = (onSend: (text: string) => boolean = () => true) => {
  const send = jest.fn(({ content }: { content: string }) => onSend(content));
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

it('sends with Enter, breaks with Shift+Enter, and is empty and focused afterwards', async () => {
  const { send, field, user } = setUp();
  await user.type(field, 'one{Shift>}{Enter}{/Shift}two{Enter}');
  expect(send).toHaveBeenCalledWith({ content: 'one\ntwo', type: 'text' });
  expect(field).toHaveValue('');
  expect(field).toHaveFocus();
});

it('does not send the Enter that ends a composition', () => {
  const { send, field } = setUp();
  fireEvent.change(field, { target: { value: 'にほん' } });
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(send).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(send).toHaveBeenCalledWith({ content: 'にほん', type: 'text' });
});

it('has Send disabled while there is nothing but blanks', async () => {
  const { send, field, user } = setUp();
  const button = screen.getByRole('button', { name: 'Send' });
  expect(button).toBeDisabled();
  await user.type(field, '   {Enter}');
  expect(button).toBeDisabled();
  expect(send).not.toHaveBeenCalled();
  await user.type(field, 'x');
  expect(button).toBeEnabled();
});

it('keeps the text that was not taken', async () => {
  const { field, user } = setUp(() => false);
  await user.type(field, 'hello{Enter}');
  expect(field).toHaveValue('hello');
});

it('counts from 1,800 code points and takes no more than 2,000', () => {
  const { field } = setUp();
  fireEvent.change(field, { target: { value: 'x'.repeat(1_799) } });
  expect(screen.queryByText(/characters/)).not.toBeInTheDocument();
  fireEvent.change(field, { target: { value: '😂'.repeat(1_800) } });
  expect(screen.getByText('1,800 of 2,000 characters')).toBeInTheDocument();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_000) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeEnabled();
  fireEvent.change(field, { target: { value: 'x'.repeat(2_001) } });
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled();
});

it('tells that something is being typed', async () => {
  const { type, field, user } = setUp();
  await user.type(field, ' ');
  expect(type).not.toHaveBeenCalled();
  await user.type(field, 'a');
  expect(type).toHaveBeenCalledTimes(1);
});

it('puts a text that comes back before what stands there', async () => {
  let give: (returned: Returned) => void = () => undefined;
  const onReturned = (take: (returned: Returned) => void): (() => void) => {
    give = take;
    return () => undefined;
  };
  const user = userEvent.setup();
  render(<Composer onSend={() => true} onReturned={onReturned} />);
  const field = screen.getByRole('textbox', { name: 'Message' });
  await user.type(field, 'new');
  await user.click(field);
  const { act } = await import('react');
  act(() => give({ content: 'old', type: 'text' }));
  expect(field).toHaveValue('old\nnew');
});
