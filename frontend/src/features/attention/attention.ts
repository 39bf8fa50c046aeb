import { copy } from '@/features/attention/copy';
import { pageLimits } from '@/lib/page-limits';
import { productName } from '@/product/document-title';

/** What the title, the icon and the sound depend on. Contains no text of a message (docs/product-decisions.md, B14). */
export interface Situation {
  phase: 'initial' | 'searching' | 'active' | 'skipped';
  /** Undefined without a random chat. */
  partnerName: string | undefined;
  /** The friend whose private chat is open. */
  friendName: string | undefined;
  /**
   * The number in the title: the unread messages of friends. While the page is hidden, it includes the partner's
   * messages and the friend news that the user has not seen.
   */
  unreadCount: number;
  /** Number of friend requests received, and of own requests accepted, since the page was opened. */
  friendNewsCount: number;
  /** The random chat began or ended while the tab was hidden. */
  hasChatChanged: boolean;
}

const describeState = ({ phase, partnerName, friendName }: Situation): string => {
  switch (phase) {
    case 'searching':
      return copy.searching;
    case 'active':
      // A chat always has a partner; the fallback only satisfies the type.
      return copy.active(partnerName ?? '');
    case 'skipped':
      return copy.skipped;
    case 'initial':
      return friendName ?? copy.initial;
  }
};

/** Formats the document's title: the number of unread messages and the state (docs/product-decisions.md, B14). */
export const formatTitle = (situation: Situation): string => {
  const { unreadCount } = situation;
  const max = pageLimits.unreadBadgeMax;
  const count = unreadCount > max ? `${max}+` : String(unreadCount);
  return `${unreadCount > 0 ? `(${count}) ` : ''}${describeState(situation)} · ${productName}`;
};

/** Returns the path of the icon. The variant `-calling` has a dot: something is unread, or the chat has changed. */
export const selectFavicon = ({ phase, unreadCount, hasChatChanged }: Situation): string => {
  const hasNews = unreadCount > 0 || hasChatChanged;
  if (phase === 'initial' && !hasNews) return '/favicon.svg';
  return `/favicon/${phase}${hasNews ? '-calling' : ''}.svg`;
};

/** Whether the change from `before` to `now` plays the sound. On a visible page, this includes friend news. */
export const isSoundDue = (before: Situation, now: Situation): boolean =>
  now.unreadCount > before.unreadCount ||
  now.friendNewsCount > before.friendNewsCount ||
  (now.hasChatChanged && !before.hasChatChanged);
