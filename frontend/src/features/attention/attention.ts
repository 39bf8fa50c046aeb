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
  /** Unread messages of friends. A hidden page adds the unseen messages of the partner and the unseen friend news. */
  unreadCount: number;
  /** Number of friend requests that the user received, plus those that others accepted, since the page was opened. */
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

/**
 * Returns the path of the icon for this situation. The variant `-calling` has a dot, which calls for attention:
 * something is unread, or the chat has changed.
 */
export const selectFavicon = ({ phase, unreadCount, hasChatChanged }: Situation): string => {
  const hasNews = unreadCount > 0 || hasChatChanged;
  if (phase === 'initial' && !hasNews) return '/favicon.svg';
  return `/favicon/${phase}${hasNews ? '-calling' : ''}.svg`;
};

/** Whether the change from `before` to `now` plays the sound. */
export const isSoundDue = (before: Situation, now: Situation): boolean =>
  now.unreadCount > before.unreadCount ||
  now.friendNewsCount > before.friendNewsCount ||
  (now.hasChatChanged && !before.hasChatChanged);
