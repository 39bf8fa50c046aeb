import { emptyDraft } from '@/chat-ui/composer/draft';
import { Drafts } from '@/features/private-chat/stores/drafts';

const userId = 7;
const otherUserId = 8;
const friendId = 12;
const otherFriendId = 13;
const createKey = (ownerId: number, toFriendId: number): string => `thaw-draft-${ownerId}-${toFriendId}`;

/** Opens a tab, or reloads one. */
const openTab = (ownerId = userId): Drafts => {
  const drafts = new Drafts();
  drafts.switchUser(ownerId);
  return drafts;
};
const createDraft = (text: string) => ({ ...emptyDraft, text });
const dispatchStorageEvent = (key: string): void => {
  window.dispatchEvent(new StorageEvent('storage', { key }));
};

beforeEach(() => localStorage.clear());

it("keeps a draft's text, reply and `hasPicture` across a reload", () => {
  const draft = { text: 'to you', replyToId: '4', hasPicture: true };
  openTab().set(friendId, draft);
  expect(openTab().get(friendId)).toEqual(draft);
});

it('removes an empty draft, and no draft to another friend', () => {
  const drafts = openTab();
  drafts.set(friendId, createDraft('to you'));
  drafts.set(otherFriendId, createDraft('to another'));
  drafts.set(otherFriendId, emptyDraft);
  const reloaded = openTab();
  expect(reloaded.get(friendId).text).toBe('to you');
  expect(reloaded.get(otherFriendId)).toEqual(emptyDraft);
});

it('keeps the drafts of two tabs for different friends', () => {
  const [first, second] = [openTab(), openTab()];
  first.set(friendId, createDraft('from the first'));
  second.set(otherFriendId, createDraft('from the second'));
  first.set(friendId, createDraft('from the first, longer'));
  const drafts = openTab();
  expect(drafts.get(friendId).text).toBe('from the first, longer');
  expect(drafts.get(otherFriendId).text).toBe('from the second');
});

it("reports only the user's own drafts that another tab changes", () => {
  const changedFriendIds: number[] = [];
  openTab().onOtherTabChange((changedFriendId) => changedFriendIds.push(changedFriendId));
  dispatchStorageEvent(createKey(userId, friendId));
  dispatchStorageEvent(createKey(otherUserId, friendId));
  expect(changedFriendIds).toEqual([friendId]);
});

it('reports no changes after the listener has unsubscribed', () => {
  const listener = jest.fn();
  const unsubscribe = openTab().onOtherTabChange(listener);
  unsubscribe();
  dispatchStorageEvent(createKey(userId, friendId));
  expect(listener).not.toHaveBeenCalled();
});

it('clears only the drafts of the current user', () => {
  openTab(otherUserId).set(friendId, createDraft('of the other user'));
  const drafts = openTab();
  drafts.set(friendId, createDraft('mine'));
  drafts.clear();
  expect(openTab().get(friendId)).toEqual(emptyDraft);
  expect(openTab(otherUserId).get(friendId).text).toBe('of the other user');
});

it('ignores invalid entries', () => {
  for (const stored of ['{', 'null', '{"text":1}']) {
    localStorage.setItem(createKey(userId, friendId), stored);
    expect(openTab().get(friendId)).toEqual(emptyDraft);
  }
});
