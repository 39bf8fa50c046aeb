import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { PartBoundary } from '@/chat-ui/part-boundary';

beforeEach(() => jest.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

it('offers Close, and Try again, which renders the part again', async () => {
  let isBroken = true;
  const Part = (): string => {
    if (isBroken) throw new Error('broken part');
    return 'whole again';
  };
  const onClose = jest.fn();
  render(
    <PartBoundary title="This chat cannot be shown." onClose={onClose}>
      <Part />
    </PartBoundary>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  isBroken = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('whole again')).toBeInTheDocument();
});
