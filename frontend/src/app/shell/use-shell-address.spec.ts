import {
  computeAddressChange,
  parseSearch,
  formatSearch,
  type OpenParts,
} from '@/app/shell/use-shell-address';

const nothingOpen: OpenParts = { friend: undefined, dialog: undefined };
const friendOpen: OpenParts = { ...nothingOpen, friend: 12 };
const historyOpen: OpenParts = { ...nothingOpen, dialog: 'chat-history' };
const bothOpen: OpenParts = { friend: 12, dialog: 'chat-history' };

it('formats the open parts as a query string that parses back to the same parts', () => {
  expect(formatSearch(nothingOpen)).toBe('');
  expect(formatSearch(friendOpen)).toBe('?friend=12');
  expect(formatSearch(bothOpen)).toBe('?friend=12&dialog=history');
  for (const parts of [nothingOpen, friendOpen, historyOpen, bothOpen])
    expect(parseSearch(formatSearch(parts))).toEqual(parts);
});

it('ignores invalid friend ids and unknown names in the address', () => {
  for (const search of ['?friend=x', '?friend=-1', '?friend=1.5', '?dialog=nonsense', '?other=1'])
    expect(parseSearch(search)).toEqual(nothingOpen);
});

// The arguments of `computeAddressChange` are the parts before and after the change, and the part whose opening added
// the current history entry. In the result, `added` is the part that the new or replaced entry belongs to.

it('adds a history entry when a chat or a dialog opens', () => {
  expect(computeAddressChange(nothingOpen, friendOpen, undefined)).toEqual({
    added: 'friend',
    replace: false,
  });
  expect(computeAddressChange(friendOpen, bothOpen, 'friend')).toEqual({ added: 'dialog', replace: false });
});

it('replaces the entry when another friend is opened', () => {
  expect(computeAddressChange(friendOpen, { ...friendOpen, friend: 13 }, 'friend')).toEqual({
    added: 'friend',
    replace: true,
  });
});

it('goes back when the most recently opened part is closed', () => {
  expect(computeAddressChange(friendOpen, nothingOpen, 'friend')).toBe('back');
  expect(computeAddressChange(bothOpen, friendOpen, 'dialog')).toBe('back');
});

it('replaces the entry when a part closes that did not add it', () => {
  // The first entry of a visit is not added by a part.
  expect(computeAddressChange(friendOpen, nothingOpen, undefined)).toEqual({
    added: undefined,
    replace: true,
  });
  // The entry still belongs to the dialog.
  expect(computeAddressChange(bothOpen, historyOpen, 'dialog')).toEqual({ added: 'dialog', replace: true });
});

it('replaces the entry when a private chat opens in place of a dialog', () => {
  expect(computeAddressChange(historyOpen, friendOpen, 'dialog')).toEqual({ added: 'friend', replace: true });
});
