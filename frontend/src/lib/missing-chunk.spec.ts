import { isNewerVersionDeployed, loadPart, PartNotLoadedError } from '@/lib/missing-chunk';

const parsePage = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');
const currentPage = parsePage('<head><script type="module" src="/assets/index-a1.js"></script></head>');

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

it("detects a newer version by comparing the entry scripts of this page and the server's page", async () => {
  // The first script in the list is the entry script.
  respondWith({ ok: true, text: '<meta name="thaw-scripts" content="/assets/index-b2.js /assets/x.js">' });
  expect(await isNewerVersionDeployed(currentPage)).toBe(true);
  respondWith({ ok: true, text: '<meta name="thaw-scripts" content="/assets/index-a1.js /assets/x.js">' });
  expect(await isNewerVersionDeployed(currentPage)).toBe(false);
  // A prerendered page has no script element; it names its scripts in a meta element.
  expect(
    await isNewerVersionDeployed(parsePage('<meta name="thaw-scripts" content="/assets/index-b2.js">')),
  ).toBe(true);
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
  // Waits for the reload, because `loadPart` then never settles.
  await new Promise<void>((resolve) => {
    reload.mockImplementationOnce(resolve);
    void loadPart(failToLoad, reloadablePage);
  });
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
