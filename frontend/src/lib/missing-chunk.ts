import { tabStorage } from '@/lib/storage';

const storageKey = 'thaw-reloaded-at';
const notAgainWithinMs = 30_000;
const askedWithinMs = 5_000;

const entryOf = (page: Document): string | undefined =>
  page.querySelector('meta[name="thaw-scripts"]')?.getAttribute('content')?.split(' ')[0] ??
  page.querySelector('script[type="module"][src]')?.getAttribute('src') ??
  undefined;

/** Whether the server has another version of the page than this one; false when it cannot be reached. */
export const isNewerVersionThere = async (page: Document = document): Promise<boolean> => {
  const entry = entryOf(page);
  if (!entry) return false;
  try {
    const response = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(askedWithinMs) });
    return response.ok && !(await response.text()).includes(entry);
  } catch {
    return false;
  }
};

/** False shortly after a reload, and without storage, where a reload loop would not be noticed. */
const mayReload = (): boolean =>
  Date.now() - Number(tabStorage.read(storageKey)) >= notAgainWithinMs &&
  tabStorage.write(storageKey, String(Date.now()));

/** The code of a part did not load over the network; a retry may succeed. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

export interface VersionCheck {
  isNewerVersionThere: () => Promise<boolean>;
  reload: () => void;
}

const thisPage: VersionCheck = { isNewerVersionThere, reload: () => location.reload() };

/**
 * Loads a part of the application. If it is missing because a newer version was deployed, reloads the page and never
 * settles. On a network failure the page is not reloaded, since its state would be lost.
 * @throws PartNotLoadedError when it was not loaded.
 */
export const loadPart = async <T>(load: () => Promise<T>, version = thisPage): Promise<T> => {
  try {
    return await load();
  } catch (cause) {
    if ((await version.isNewerVersionThere()) && mayReload()) {
      version.reload();
      return new Promise<T>(() => undefined);
    }
    throw new PartNotLoadedError('A part of the application was not loaded', { cause });
  }
};
