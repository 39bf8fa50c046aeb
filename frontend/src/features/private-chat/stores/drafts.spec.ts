import { emptyDraft } from '@/chat-ui/composer/draft';
import { Drafts } from '@/features/private-chat/stores/drafts';

const openTab = (userId = 7): Drafts => {
  const drafts = new Drafts();
  drafts.switchUser(userId);
  return drafts;
};
const createDraft = (text: string) => ({ ...emptyDraft, text });

/** The storage entry of user 7 with the draft to friend 12. */
const storageKey = 'thaw-draft-7-12';

beforeEach(() => localStorage.clear());

it("keeps a draft's text, reply and `hasPicture` for each friend across a reload, and removes an empty draft", () => {
  const drafts = openTab();
  const draft = { text: 'to you', replyToId: '4', hasPicture: true };
  drafts.set(12, draft);
  drafts.set(13, createDraft('to another'));
  drafts.set(13, emptyDraft);
  const reloaded = openTab();
  expect([reloaded.get(12), reloaded.get(13)]).toEqual([draft, emptyDraft]);
});

it('keeps the drafts of two tabs for different friends', () => {
  const [first, second] = [openTab(), openTab()];
  first.set(12, createDraft('from the first'));
  second.set(13, createDraft('from the second'));
  first.set(12, createDraft('from the first, longer'));
  const drafts = openTab();
  expect([drafts.get(12).text, drafts.get(13).text]).toEqual(['from the first, longer', 'from the second']);
});

it("reports a friend's draft that another tab changes", () => {
  const drafts = openTab();
  const changedFriendIds: number[] = [];
  const otherUsersKey = 'thaw-draft-8-12';
  const unsubscribe = drafts.onOtherTabChange((friendId) => changedFriendIds.push(friendId));
  window.dispatchEvent(new StorageEvent('storage', { key: storageKey }));
  window.dispatchEvent(new StorageEvent('storage', { key: otherUsersKey }));
  unsubscribe();
  window.dispatchEvent(new StorageEvent('storage', { key: storageKey }));
  expect(changedFriendIds).toEqual([12]);
});

it('clears only the drafts of the current user', () => {
  openTab(8).set(12, createDraft('of the other user'));
  const drafts = openTab();
  drafts.set(12, createDraft('mine'));
  drafts.clear();
  expect([openTab().get(12), openTab(8).get(12).text]).toEqual([emptyDraft, 'of the other user']);
});

it('ignores invalid entries', () => {
  for (const stored of ['{', 'null', '{"text":1}']) {
    localStorage.setItem(storageKey, stored);
    expect(openTab().get(12)).toEqual(emptyDraft);
  }
});
