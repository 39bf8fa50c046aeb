import { createCaseDraft, isEmptyDraft, parseDraft, type Draft } from '@/chat-ui/composer/draft';
import { tabStorage } from '@/lib/storage';

/** The draft of the current chat, stored in this tab: it survives a reload and is removed with the chat. */
const draftKey = 'thaw-draft';
const sessionKey = 'thaw-draft-session';

export const readDraft = (sessionId: string): Draft =>
  tabStorage.read(sessionKey) === sessionId ? parseDraft(tabStorage.read(draftKey)) : createCaseDraft;

export const removeDraft = (): void => {
  tabStorage.remove(draftKey);
  tabStorage.remove(sessionKey);
};

export const writeDraft = (sessionId: string, draft: Draft): void => {
  if (isEmptyDraft(draft)) return removeDraft();
  // If the storage is blocked, the text is still in the field.
  tabStorage.write(sessionKey, sessionId);
  tabStorage.write(draftKey, JSON.stringify(draft));
};
