import { addressChange, openedIn, searchOf, type Opened } from '@/app/shell/use-shell-address';

const nothing: Opened = { friend: undefined, dialog: undefined };
const friend: Opened = { ...nothing, friend: 12 };
const history: Opened = { ...nothing, dialog: 'chat-history' };
const both: Opened = { friend: 12, dialog: 'chat-history' };

it('writes what is open into the address and reads it back', () => {
  expect(searchOf(nothing)).toBe('');
  expect(searchOf(friend)).toBe('?friend=12');
  expect(searchOf(both)).toBe('?friend=12&dialog=history');
  for (const opened of [nothing, friend, history, both]) expect(openedIn(searchOf(opened))).toEqual(opened);
});

it('takes an address that names nothing known for nothing', () => {
  for (const search of ['?friend=x', '?friend=-1', '?friend=1.5', '?dialog=nonsense', '?other=1'])
    expect(openedIn(search)).toEqual(nothing);
});

it('adds an entry for what opens', () => {
  expect(addressChange(nothing, friend, undefined)).toEqual({ added: 'friend', replace: false });
  expect(addressChange(friend, both, 'friend')).toEqual({ added: 'dialog', replace: false });
});

it('replaces the entry when one friend takes the place of another', () => {
  expect(addressChange(friend, { ...friend, friend: 13 }, 'friend')).toEqual({
    added: 'friend',
    replace: true,
  });
});

it('goes back when that which was opened last is closed', () => {
  expect(addressChange(friend, nothing, 'friend')).toBe('back');
  expect(addressChange(both, friend, 'dialog')).toBe('back');
});

it('replaces the entry when it was not added here, or something else is on top', () => {
  expect(addressChange(friend, nothing, undefined)).toEqual({ added: undefined, replace: true });
  expect(addressChange(history, friend, 'dialog')).toEqual({ added: 'friend', replace: true });
  expect(addressChange(both, history, 'dialog')).toEqual({ added: 'dialog', replace: true });
});
