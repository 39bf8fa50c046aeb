import { tabStorage } from '@/lib/storage';

// A part is a piece of the application that is loaded when it is needed. Its code is in files of its own, the chunks.

const reloadedAtKey = 'thaw-reloaded-at';
/** Minimum time between automatic reloads, in case a reload does not restore the missing chunk. */
const minReloadIntervalMs = 30_000;
/** Time limit of the version check, short because the user is waiting for a part. */
const versionCheckTimeoutMs = 5_000;

/** Address of the entry script of a page, which identifies its version. */
const readEntryScript = (page: Document): string | undefined => {
  // A prerendered page lists its scripts in a meta tag, the entry script first.
  const scripts = page.querySelector('meta[name="thaw-scripts"]')?.getAttribute('content')?.split(' ');
  const script = page.querySelector('script[type="module"][src]')?.getAttribute('src');
  return scripts?.[0] ?? script ?? undefined;
};

/** Whether the server has another version of the page than this one; false when it cannot be reached in time. */
export const isNewerVersionDeployed = async (page: Document = document): Promise<boolean> => {
  const entry = readEntryScript(page);
  if (!entry) return false;
  try {
    // Any page will do, because all have the same entry script.
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
 * Records a reload, to prevent a reload loop.
 * @returns whether the page may be reloaded: not shortly after another reload, nor if the reload cannot be recorded
 */
const tryRecordReload = (): boolean => {
  const lastReloadAt = Number(tabStorage.read(reloadedAtKey)); // 0 before the first reload
  const isLongAgo = Date.now() - lastReloadAt >= minReloadIntervalMs;
  return isLongAgo && tabStorage.write(reloadedAtKey, String(Date.now()));
};

/** Thrown when the code of a part did not load; a retry may succeed. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

/** The dependencies of `loadPart` on the page, which tests replace. */
export interface ReloadablePage {
  isNewerVersionDeployed: () => Promise<boolean>;
  reload: () => void;
}

const thisPage: ReloadablePage = { isNewerVersionDeployed, reload: () => location.reload() };

/**
 * Loads a part. If its chunk is missing because a newer version was deployed, reloads the page and never settles. A
 * network failure does not reload the page, because that would lose its state.
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
