import { addressChange, openedIn, searchOf, type Opened } from '@/app/shell/use-shell-address';

const nothing: Opened = { friend: undefined, dialog: undefined };
const friend: Opened = { ...nothing, friend: 12 };
const history: Opened = { ...nothing, dialog: 'chat-history' };
const both: Opened = { friend: 12, dialog: 'chat-history' };

it('writes what is open into the address and parses it again', () => {
  expect(searchOf(nothing)).toBe('');
  expect(searchOf(friend)).toBe('?friend=12');
  expect(searchOf(both)).toBe('?friend=12&dialog=history');
  for (const opened of [nothing, friend, history, both]) expect(openedIn(searchOf(opened))).toEqual(opened);
});

it('ignores an address with unknown names', () => {
  for (const search of ['?friend=x', '?friend=-1', '?friend=1.5', '?dialog=nonsense', '?other=1'])
    expect(openedIn(search)).toEqual(nothing);
});

it('adds a history entry when something opens', () => {
  expect(addressChange(nothing, friend, undefined)).toEqual({ added: 'friend', replace: false });
  expect(addressChange(friend, both, 'friend')).toEqual({ added: 'dialog', replace: false });
});

it('replaces the entry when another friend is opened', () => {
  expect(addressChange(friend, { ...friend, friend: 13 }, 'friend')).toEqual({
    added: 'friend',
    replace: true,
  });
});

it('goes back when the most recently opened part is closed', () => {
  expect(addressChange(friend, nothing, 'friend')).toBe('back');
  expect(addressChange(both, friend, 'dialog')).toBe('back');
});

it('replaces the entry when it was added elsewhere, or for another part', () => {
  expect(addressChange(friend, nothing, undefined)).toEqual({ added: undefined, replace: true });
  expect(addressChange(history, friend, 'dialog')).toEqual({ added: 'friend', replace: true });
  expect(addressChange(both, history, 'dialog')).toEqual({ added: 'dialog', replace: true });
});
