import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { limits } from '@thaw/contract/limits';
import { ConnectionIndicator } from '@/chat-ui/connection-indicator';
import { useConnection } from '@/lib/socket/connection';
import { type ConnectionStatus } from '@/lib/socket/socket-client';

const setStatus = (status: ConnectionStatus): void => act(() => useConnection.setState({ status }));

const initialConnection = useConnection.getState();
afterEach(() => act(() => useConnection.setState(initialConnection)));

it('shows and announces the current attempt to reconnect', () => {
  setStatus({ kind: 'open' });
  render(<ConnectionIndicator />);
  expect(screen.getByRole('status')).toHaveTextContent(/^Connected$/);
  // A live region must exist before its text: screen readers announce only changes.
  const announced = document.querySelector('[aria-live="polite"]');
  expect(announced).toBeEmptyDOMElement();
  for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
    setStatus({ kind: 'retrying', attempt });
    expect(screen.getByRole('status')).toHaveTextContent(/^Disconnected$/);
    expect(screen.getByText(`Reconnecting ${attempt} of ${limits.reconnectAttempts}`)).toBe(announced);
  }
  // Screen readers announce the whole sentence, although only the number changes.
  expect(announced).toHaveAttribute('aria-atomic', 'true');
  setStatus({ kind: 'open' });
  expect(announced).toBeEmptyDOMElement();
});

it('offers Reconnect once all attempts have failed, unless the server refuses new connections', async () => {
  const reconnect = jest.fn();
  act(() => useConnection.setState({ reconnect }));
  setStatus({ kind: 'failed', canReconnect: true });
  render(<ConnectionIndicator />);
  expect(screen.queryByText(/^Reconnecting/)).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Reconnect' }));
  expect(reconnect).toHaveBeenCalledTimes(1);
  setStatus({ kind: 'failed', canReconnect: false });
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});
