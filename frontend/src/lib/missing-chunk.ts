const storageKey = 'thaw-reloaded-at';
const notAgainWithinMs = 30_000;

/**
 * A part of the application could not be loaded: a newer version was deployed, or the network failed for a moment.
 * Loads the page anew, but never in circles.
 */
export const reloadOnMissingChunk = (reload: () => void = () => location.reload()): void => {
  window.addEventListener('vite:preloadError', (event) => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(storageKey)) < notAgainWithinMs) return;
      sessionStorage.setItem(storageKey, String(Date.now()));
    } catch {
      // Without storage nobody would know that it was tried already.
      return;
    }
    event.preventDefault();
    reload();
  });
};
