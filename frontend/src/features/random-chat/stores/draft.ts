import { emptyDraft, isEmptyDraft, parseDraft, type Draft } from '@/chat-ui/draft';

/** The draft of the present chat, kept in this tab: it survives a reload and ends with the chat. */
const key = 'thaw-draft';
const sessionKey = 'thaw-draft-session';

const read = (name: string): string | null => {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
};

export const readDraft = (sessionId: string): Draft =>
  read(sessionKey) === sessionId ? parseDraft(read(key)) : emptyDraft;

export const forgetDraft = (): void => {
  try {
    sessionStorage.removeItem(key);
    sessionStorage.removeItem(sessionKey);
  } catch {
    // Nothing was kept, then.
  }
};

export const keepDraft = (sessionId: string, draft: Draft): void => {
  if (isEmptyDraft(draft)) return forgetDraft();
  try {
    sessionStorage.setItem(sessionKey, sessionId);
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage may be full or forbidden; the text still stands in the field.
  }
};
