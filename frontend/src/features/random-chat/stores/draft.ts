import { emptyDraft, isEmptyDraft, parseDraft, type Draft } from '@/chat-ui/composer/draft';
import { tabStorage } from '@/lib/storage';

// The draft of the current chat, stored in this tab with the id of the chat (`sessionId`). It survives a reload and is
// removed when the chat ends.

const draftKey = 'thaw-draft';
const sessionKey = 'thaw-draft-session';

export const readDraft = (sessionId: string): Draft =>
  tabStorage.read(sessionKey) === sessionId ? parseDraft(tabStorage.read(draftKey)) : emptyDraft;

export const removeDraft = (): void => {
  tabStorage.remove(draftKey);
  tabStorage.remove(sessionKey);
};

export const writeDraft = (sessionId: string, draft: Draft): void => {
  if (isEmptyDraft(draft)) return removeDraft();
  // A failed write, for example to a blocked storage, is ignored: the composer still holds the draft.
  tabStorage.write(sessionKey, sessionId);
  tabStorage.write(draftKey, JSON.stringify(draft));
};
