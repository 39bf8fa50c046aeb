import { isNewerVersionDeployed, loadPart, PartNotLoadedError } from '@/lib/missing-chunk';

const parsePage = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');

/** This page, whose entry script is /assets/index-a1.js. */
const currentPage = parsePage('<head><script type="module" src="/assets/index-a1.js"></script></head>');

/** The page that the server sends now. It is prerendered: a meta element lists its scripts, the entry script first. */
const createServerPage = (entryScript: string): string =>
  `<meta name="thaw-scripts" content="${entryScript} /assets/x.js">`;

const respondWith = (response: { ok: boolean; text: string } | Error): void => {
  Object.assign(globalThis, {
    fetch: () =>
      response instanceof Error
        ? Promise.reject(response)
        : Promise.resolve({ ok: response.ok, text: () => Promise.resolve(response.text) }),
  });
};

const failToLoad = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => sessionStorage.clear());

it('detects a newer version when the entry scripts of this page and the page of the server differ', async () => {
  respondWith({ ok: true, text: createServerPage('/assets/index-b2.js') });
  expect(await isNewerVersionDeployed(currentPage)).toBe(true);
});

it('detects no newer version when the entry scripts are the same', async () => {
  respondWith({ ok: true, text: createServerPage('/assets/index-a1.js') });
  expect(await isNewerVersionDeployed(currentPage)).toBe(false);
});

it('detects a newer version when this page is prerendered, so that it has no script element', async () => {
  respondWith({ ok: true, text: createServerPage('/assets/index-a1.js') });
  const prerenderedPage = parsePage('<meta name="thaw-scripts" content="/assets/index-b2.js">');
  expect(await isNewerVersionDeployed(prerenderedPage)).toBe(true);
});

it('assumes no newer version when the server cannot be reached or returns an error', async () => {
  respondWith(new TypeError('Failed to fetch'));
  expect(await isNewerVersionDeployed(currentPage)).toBe(false);
  respondWith({ ok: false, text: 'Bad Gateway' });
  expect(await isNewerVersionDeployed(currentPage)).toBe(false);
});

it('reloads the page once when a newer version is deployed', async () => {
  const reload = jest.fn();
  const reloadablePage = { isNewerVersionDeployed: () => Promise.resolve(true), reload };
  const reloaded = new Promise<void>((resolve) => reload.mockImplementationOnce(resolve));
  void loadPart(failToLoad, reloadablePage); // never settles, because the page is reloaded
  await reloaded;
  expect(reload).toHaveBeenCalledTimes(1);
  await expect(loadPart(failToLoad, reloadablePage)).rejects.toThrow(PartNotLoadedError);
  expect(reload).toHaveBeenCalledTimes(1);
});

it('does not reload the page on a network failure, and can load the part later', async () => {
  const reload = jest.fn();
  const reloadablePage = { isNewerVersionDeployed: () => Promise.resolve(false), reload };
  await expect(loadPart(failToLoad, reloadablePage)).rejects.toThrow(PartNotLoadedError);
  expect(reload).not.toHaveBeenCalled();
  expect(await loadPart(() => Promise.resolve('there'), reloadablePage)).toBe('there');
});
