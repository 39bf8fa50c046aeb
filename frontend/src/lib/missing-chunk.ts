import { tabStorage } from '@/lib/storage';

const reloadedAtKey = 'thaw-reloaded-at';
/** Minimum time between automatic reloads, in case a reload does not restore the missing chunk. */
const minReloadIntervalMs = 30_000;
/** The user is waiting for a lazily loaded part, so a check that takes longer counts as no newer version. */
const versionCheckTimeoutMs = 5_000;

/** Address of the entry script of a page, which identifies its version. Prerendered pages list it in a meta tag. */
const readEntryScript = (page: Document): string | undefined =>
  page.querySelector('meta[name="thaw-scripts"]')?.getAttribute('content')?.split(' ')[0] ??
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ??
  undefined;

/** Whether the server has another version of the page than this one; false when it cannot be reached. */
export const isNewerVersionDeployed = async (page: Document = document): Promise<boolean> => {
  const entry = readEntryScript(page);
  if (!entry) return false;
  try {
    // All pages have the same entry script, so it does not matter which of them is read.
    const response = await fetch('/', {
      cache: 'no-store',
      signal: AbortSignal.timeout(versionCheckTimeoutMs),
    });
    return response.ok && !(await response.text()).includes(entry);
  } catch {
    return false;
  }
};

/**
 * Records a reload and returns whether it is allowed. A reload is not allowed shortly after another one, nor without
 * storage, because a reload loop could not be detected.
 */
const tryRecordReload = (): boolean =>
  // `Number(null)` is 0: nothing is stored before the first reload.
  Date.now() - Number(tabStorage.read(reloadedAtKey)) >= minReloadIntervalMs &&
  // `write` returns false without storage.
  tabStorage.write(reloadedAtKey, String(Date.now()));

/** Thrown when the code of a part (a lazily loaded component) did not load; a retry may succeed. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

/** Injected by tests. */
export interface ReloadablePage {
  isNewerVersionDeployed: () => Promise<boolean>;
  reload: () => void;
}

const thisPage: ReloadablePage = { isNewerVersionDeployed, reload: () => location.reload() };

/**
 * Loads a lazy part of the application. If its chunk is missing because a newer version was deployed, reloads the page
 * and never settles. On a network failure the page is not reloaded, since its state would be lost.
 * @throws PartNotLoadedError when the part was not loaded and the page is not reloaded.
 */
export const loadPart = async <T>(load: () => Promise<T>, page = thisPage): Promise<T> => {
  try {
    return await load();
  } catch (cause) {
    if ((await page.isNewerVersionDeployed()) && tryRecordReload()) {
      page.reload();
      return new Promise<T>(() => undefined);
    }
    throw new PartNotLoadedError('A part of the application was not loaded', { cause });
  }
};
