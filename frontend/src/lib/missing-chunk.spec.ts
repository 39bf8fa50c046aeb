import { isNewerVersionThere, loadPart, PartNotLoadedError } from '@/lib/missing-chunk';

const pageOf = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');
const shell = pageOf('<head><script type="module" src="/assets/index-a1.js"></script></head>');

const serve = (answer: { ok: boolean; text: string } | Error): void => {
  Object.assign(globalThis, {
    fetch: () =>
      answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ ok: answer.ok, text: () => Promise.resolve(answer.text) }),
  });
};

const missing = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => sessionStorage.clear());

it("detects a newer version by the entry script in the server's page", async () => {
  serve({ ok: true, text: '<meta name="thaw-scripts" content="/assets/index-b2.js /assets/x.js">' });
  expect(await isNewerVersionThere(shell)).toBe(true);
  serve({ ok: true, text: '<meta name="thaw-scripts" content="/assets/index-a1.js /assets/x.js">' });
  expect(await isNewerVersionThere(shell)).toBe(false);
  expect(await isNewerVersionThere(pageOf('<meta name="thaw-scripts" content="/assets/index-b2.js">'))).toBe(
    true,
  );
});

it('assumes no newer version when the server cannot be reached, or fails', async () => {
  serve(new TypeError('Failed to fetch'));
  expect(await isNewerVersionThere(shell)).toBe(false);
  serve({ ok: false, text: 'Bad Gateway' });
  expect(await isNewerVersionThere(shell)).toBe(false);
});

it('reloads for a newer version, but not repeatedly', async () => {
  const reload = jest.fn();
  const version = { isNewerVersionThere: () => Promise.resolve(true), reload };
  void loadPart(missing, version);
  await new Promise((done) => setTimeout(done));
  expect(reload).toHaveBeenCalledTimes(1);
  await expect(loadPart(missing, version)).rejects.toThrow(PartNotLoadedError);
  expect(reload).toHaveBeenCalledTimes(1);
});

it('does not reload on a network failure', async () => {
  const reload = jest.fn();
  const version = { isNewerVersionThere: () => Promise.resolve(false), reload };
  await expect(loadPart(missing, version)).rejects.toThrow(PartNotLoadedError);
  expect(reload).not.toHaveBeenCalled();
  expect(await loadPart(() => Promise.resolve('there'), version)).toBe('there');
});
