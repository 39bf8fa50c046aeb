import {
  computeAddressChange,
  parseSearch,
  formatSearch,
  type OpenParts,
} from '@/app/shell/use-shell-address';

const nothing: OpenParts = { friend: undefined, dialog: undefined };
const friend: OpenParts = { ...nothing, friend: 12 };
const history: OpenParts = { ...nothing, dialog: 'chat-history' };
const both: OpenParts = { friend: 12, dialog: 'chat-history' };

it('formats the open parts as a query string that parses back to the same parts', () => {
  expect(formatSearch(nothing)).toBe('');
  expect(formatSearch(friend)).toBe('?friend=12');
  expect(formatSearch(both)).toBe('?friend=12&dialog=history');
  for (const parts of [nothing, friend, history, both])
    expect(parseSearch(formatSearch(parts))).toEqual(parts);
});

it('ignores invalid friend ids and unknown names in the address', () => {
  for (const search of ['?friend=x', '?friend=-1', '?friend=1.5', '?dialog=nonsense', '?other=1'])
    expect(parseSearch(search)).toEqual(nothing);
});

it('adds a history entry when a chat or a dialog opens', () => {
  expect(computeAddressChange(nothing, friend, undefined)).toEqual({ added: 'friend', replace: false });
  expect(computeAddressChange(friend, both, 'friend')).toEqual({ added: 'dialog', replace: false });
});

it('replaces the entry when another friend is opened', () => {
  expect(computeAddressChange(friend, { ...friend, friend: 13 }, 'friend')).toEqual({
    added: 'friend',
    replace: true,
  });
});

it('goes back when the most recently opened part is closed', () => {
  expect(computeAddressChange(friend, nothing, 'friend')).toBe('back');
  expect(computeAddressChange(both, friend, 'dialog')).toBe('back');
});

it('replaces the entry when the closed part is not the one that added it', () => {
  expect(computeAddressChange(friend, nothing, undefined)).toEqual({ added: undefined, replace: true });
  expect(computeAddressChange(history, friend, 'dialog')).toEqual({ added: 'friend', replace: true });
  expect(computeAddressChange(both, history, 'dialog')).toEqual({ added: 'dialog', replace: true });
});
