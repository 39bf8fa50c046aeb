/** What was typed and not sent, kept in this tab for the present chat: a reload or a cut loses nothing. */
const key = 'thaw-draft';

interface Draft {
  sessionId: string;
  text: string;
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'sessionId' in value &&
  'text' in value &&
  typeof value.text === 'string';

export const readDraft = (sessionId: string): string => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isDraft(stored) && stored.sessionId === sessionId ? stored.text : '';
  } catch {
    return '';
  }
};

export const keepDraft = (sessionId: string, text: string): void => {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ sessionId, text } satisfies Draft));
  } catch {
    // Storage may be full or forbidden; the text still stands in the field.
  }
};

export const forgetDraft = (): void => keepDraft('', '');
