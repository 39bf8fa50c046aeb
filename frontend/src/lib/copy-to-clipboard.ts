/**
 * Copies a text to the clipboard. Never rejects.
 * @returns false if nothing was copied, because there is no clipboard or the browser denies access to it.
 */
export const copyToClipboard = async (text: string): Promise<boolean> => {
  const clipboard = navigator.clipboard as Clipboard | undefined; // a page on plain http has none
  if (!clipboard) return false;
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};
