declare global {
  interface Window {
    /**
     * The last button pressed before hydration. public/theme.js records it, because it runs before the first paint.
     * `stop` ends the recording.
     */
    thawEarlyPress?: { button: HTMLElement | null; stop: () => void };
  }
}

/** Repeats the recorded press, which would otherwise be lost. Call once, after hydration. */
export const repeatEarlyPress = (): void => {
  const press = window.thawEarlyPress;
  if (!press) return;
  delete window.thawEarlyPress;
  press.stop();
  if (press.button?.isConnected) press.button.click();
};
