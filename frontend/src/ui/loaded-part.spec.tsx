import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const LoadedText = ({ text }: { text: string }) => <p>{text}</p>;

/**
 * Creates a part (a component whose code is loaded when it is needed) and a page that shows it. Loading the code fails
 * while `server.isAvailable` is false.
 */
const createPartAndPage = () => {
  const server = { isAvailable: false, requestCount: 0 };
  const part = createPart(async () => {
    server.requestCount += 1;
    if (!server.isAvailable) throw new TypeError('Failed to fetch dynamically imported module');
    return LoadedText;
  });
  const Page = () => (
    <LoadedPart
      part={part}
      pending={<p>loading</p>}
      renderFailure={({ retry }) => <button onClick={retry}>Try again</button>}
    >
      {(Component) => <Component text="content" />}
    </LoadedPart>
  );
  return { server, part, Page };
};

beforeEach(() => {
  // The errors of failed loads are logged.
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  // After a failure, a part checks with `fetch` whether a newer version of the page is deployed.
  Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('offline')) });
});
afterEach(() => jest.restoreAllMocks());

it('loads the part again on each retry, and shows it once it has loaded', async () => {
  const { server, Page } = createPartAndPage();
  render(<Page />);
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  expect(server.requestCount).toBe(2);
  server.isAvailable = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('content')).toBeVisible();
});

it('loads a failed part again when it is unmounted and rendered again', async () => {
  const { server, Page } = createPartAndPage();
  const { unmount } = render(<Page />);
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
  unmount();
  server.isAvailable = true;
  render(<Page />);
  expect(await screen.findByText('content')).toBeVisible();
});

it('preloads again after a failed preload, and renders a preloaded part immediately', async () => {
  const { server, part, Page } = createPartAndPage();
  await act(() => part.preload());
  server.isAvailable = true;
  await act(() => part.preload());
  server.isAvailable = false; // the page must not load the part again
  render(<Page />);
  expect(screen.getByText('content')).toBeVisible();
  expect(server.requestCount).toBe(2);
});
