import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const LoadedText = ({ text }: { text: string }) => <p>{text}</p>;

const createPartAndPlace = (load: () => Promise<typeof LoadedText>) => {
  const part = createPart(load);
  const Place = () => (
    <LoadedPart
      part={part}
      pending={<p>loading</p>}
      broken={({ retry }) => <button onClick={retry}>Try again</button>}
    >
      {(Loaded) => <Loaded text="there" />}
    </LoadedPart>
  );
  return { part, Place };
};

beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('offline')) });
});
afterEach(() => jest.restoreAllMocks());

/** A connection on which loads fail until the test sets `isAvailable`. */
const createConnection = () => {
  const connection = { isAvailable: false, attempts: 0 };
  const load = async () => {
    connection.attempts += 1;
    if (!connection.isAvailable) throw new TypeError('Failed to fetch dynamically imported module');
    return LoadedText;
  };
  return { connection, load };
};

it('loads the part again on each retry, and shows it once it has loaded', async () => {
  const { connection, load } = createConnection();
  const { Place } = createPartAndPlace(load);
  render(<Place />);
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  expect(connection.attempts).toBe(2);
  connection.isAvailable = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('there')).toBeVisible();
});

it('loads a failed part again when it is closed and reopened', async () => {
  const { connection, load } = createConnection();
  const { Place } = createPartAndPlace(load);
  const { unmount } = render(<Place />);
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  unmount();
  connection.isAvailable = true;
  render(<Place />);
  expect(await screen.findByText('there')).toBeVisible();
});

it('renders a preloaded part immediately, and preloads again after a failure', async () => {
  const { connection, load } = createConnection();
  const { part, Place } = createPartAndPlace(load);
  await act(() => part.preload());
  connection.isAvailable = true;
  await act(() => part.preload());
  connection.isAvailable = false;
  render(<Place />);
  expect(screen.getByText('there')).toBeVisible();
  expect(connection.attempts).toBe(2);
});
