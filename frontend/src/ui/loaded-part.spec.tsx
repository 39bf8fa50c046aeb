import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const Words = ({ text }: { text: string }) => <p>{text}</p>;

const show = (load: () => Promise<typeof Words>) => {
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

/** A load that fails until the test sets `isThere`. */
const network = () => {
  const line = { isThere: false, attempts: 0 };
  const load = async () => {
    line.attempts += 1;
    if (!line.isThere) throw new TypeError('Failed to fetch dynamically imported module');
    return Words;
  };
  return { line, load };
};

it('loads again at each press of retry, and shows the part once it has loaded', async () => {
  const { line, load } = network();
  const { Place } = show(load);
  render(<Place />);
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  expect(line.attempts).toBe(2);
  line.isThere = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('there')).toBeVisible();
});

it('loads again when it is closed and reopened', async () => {
  const { line, load } = network();
  const { Place } = show(load);
  const { unmount } = render(<Place />);
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  unmount();
  line.isThere = true;
  render(<Place />);
  expect(await screen.findByText('there')).toBeVisible();
});

it('renders at once when it was preloaded', async () => {
  const { line, load } = network();
  const { part, Place } = show(load);
  await act(() => part.preload());
  line.isThere = true;
  await act(() => part.preload());
  line.isThere = false;
  render(<Place />);
  expect(screen.getByText('there')).toBeVisible();
  expect(line.attempts).toBe(2);
});
