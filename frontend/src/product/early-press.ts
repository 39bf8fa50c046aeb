/** A button that was pressed while the rendered page was not yet alive; public/theme.js keeps it. */
declare global {
  interface Window {
    thawEarlyPress?: { button: HTMLElement | null; stop: () => void };
  }
}

/** Presses it again. Called once the page is hydrated and handles clicks. */
export const repeatEarlyPress = (): void => {
  const press = window.thawEarlyPress;
  if (!press) return;
  delete window.thawEarlyPress;
  press.stop();
  if (press.button?.isConnected) press.button.click();
};
