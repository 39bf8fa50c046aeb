import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { selectFavicon, isSoundDue, formatTitle, type Situation } from '@/features/attention/attention';

const createSituation = (changes: Partial<Situation> = {}): Situation => ({
  phase: 'initial',
  partnerName: undefined,
  friendName: undefined,
  unreadCount: 0,
  friendNewsCount: 0,
  hasChatChanged: false,
  ...changes,
});

describe('the document title', () => {
  it.each<[string, Partial<Situation>, string]>([
    ['before the first search', {}, 'Chat · Thaw'],
    ['searching', { phase: 'searching' }, 'Looking for someone... · Thaw'],
    ['in a chat', { phase: 'active', partnerName: 'brave-heron-7' }, 'Chatting with brave-heron-7 · Thaw'],
    ['after a chat', { phase: 'skipped', partnerName: 'brave-heron-7' }, 'Chat Ended · Thaw'],
    ['with a friend', { friendName: 'calm-fox-3' }, 'calm-fox-3 · Thaw'],
    [
      'with a friend, searching',
      { friendName: 'calm-fox-3', phase: 'searching' },
      'Looking for someone... · Thaw',
    ],
    ['with one unread message', { unreadCount: 1 }, '(1) Chat · Thaw'],
    ['with 99 unread messages', { unreadCount: 99 }, '(99) Chat · Thaw'],
    ['with more than 99 unread messages', { unreadCount: 100 }, '(99+) Chat · Thaw'],
  ])('shows the state and the unread count: %s', (_when, changes, title) => {
    expect(formatTitle(createSituation(changes))).toBe(title);
  });
});

describe('the icon', () => {
  const phases = ['initial', 'searching', 'active', 'skipped'] as const;
  const iconPaths = phases.flatMap((phase) =>
    [0, 1].map((unreadCount) => selectFavicon(createSituation({ phase, unreadCount }))),
  );

  it('differs for each phase, with and without unread messages', () => {
    expect(new Set(iconPaths).size).toBe(iconPaths.length);
  });

  it('shows a chat that began or ended in a hidden tab like an unread message', () => {
    expect(selectFavicon(createSituation({ phase: 'active', hasChatChanged: true }))).toBe(
      selectFavicon(createSituation({ phase: 'active', unreadCount: 1 })),
    );
  });

  it.each(iconPaths)('exists as the file %s', (path) => {
    // The path begins with a slash; the dot makes it relative to the folder `public`.
    expect(existsSync(resolve('public', `.${path}`))).toBe(true);
  });
});

describe('isSoundDue', () => {
  // `hasChatChanged` is true only while the tab is hidden.
  it.each<[string, Partial<Situation>, Partial<Situation>, boolean]>([
    ['one more unread message', { unreadCount: 1 }, { unreadCount: 2 }, true],
    ['one unread message less', { unreadCount: 2 }, { unreadCount: 1 }, false],
    ['the same number of unread messages', { unreadCount: 2 }, { unreadCount: 2 }, false],
    ['a friend request', { friendNewsCount: 1 }, { friendNewsCount: 2 }, true],
    ['a match while the tab is hidden', {}, { phase: 'active', hasChatChanged: true }, true],
    ['a match while the tab is visible', {}, { phase: 'active' }, false],
    ['a chat that had changed before', { hasChatChanged: true }, { hasChatChanged: true }, false],
  ])('decides whether to play the sound: %s', (_what, before, now, isDue) => {
    expect(isSoundDue(createSituation(before), createSituation(now))).toBe(isDue);
  });
});
