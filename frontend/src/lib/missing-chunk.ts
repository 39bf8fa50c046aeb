import { tabStorage } from '@/lib/storage';

const storageKey = 'thaw-reloaded-at';
/** The page does not reload itself more often, in case a reload does not bring the missing part. */
const minReloadIntervalMs = 30_000;
/** The user waits for the part, so an unanswered check counts as no newer version. */
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
 * Records a reload and returns whether it is allowed: not shortly after another one, and not without storage, where a
 * reload loop would go unnoticed.
 */
const claimReload = (): boolean =>
  Date.now() - Number(tabStorage.read(storageKey)) >= minReloadIntervalMs &&
  tabStorage.write(storageKey, String(Date.now()));

/** The code of a part did not load over the network; a retry may succeed. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

export interface VersionCheck {
  isNewerVersionDeployed: () => Promise<boolean>;
  reload: () => void;
}

const thisPage: VersionCheck = { isNewerVersionDeployed, reload: () => location.reload() };

/**
 * Loads a part of the application. If it is missing because a newer version was deployed, reloads the page and never
 * settles. On a network failure the page is not reloaded, since its state would be lost.
 * @throws PartNotLoadedError when it was not loaded.
 */
export const loadPart = async <T>(load: () => Promise<T>, version = thisPage): Promise<T> => {
  try {
    return await load();
  } catch (cause) {
    if ((await version.isNewerVersionDeployed()) && claimReload()) {
      version.reload();
      return new Promise<T>(() => undefined);
    }
    throw new PartNotLoadedError('A part of the application was not loaded', { cause });
  }
};
