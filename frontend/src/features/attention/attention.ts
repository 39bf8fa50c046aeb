import { copy } from '@/features/attention/copy';
import { pageLimits } from '@/lib/page-limits';
import { productName } from '@/product/document-title';

/** The state of the page that title, icon and sound show. Contains no text that a user has written. */
export interface Situation {
  phase: 'initial' | 'searching' | 'active' | 'skipped';
  /** Undefined without a random chat. */
  partnerName: string | undefined;
  /** The friend whose private chat is open. */
  friendName: string | undefined;
  /** Unread messages of friends; while the page is hidden, also those of the partner and the news about friends. */
  unread: number;
  /** Number of friend requests received and accepted since the page was opened. */
  friendNews: number;
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
  const { unread } = situation;
  const count = unread > pageLimits.unreadBadgeMax ? `${pageLimits.unreadBadgeMax}+` : String(unread);
  return `${unread > 0 ? `(${count}) ` : ''}${describeState(situation)} · ${productName}`;
};

/**
 * Returns the path of the icon for this situation. The variant `-calling` has a dot: something is unread, or the chat
 * has changed.
 */
export const selectFavicon = ({ phase, unread, hasChatChanged }: Situation): string => {
  const hasNews = unread > 0 || hasChatChanged;
  if (phase === 'initial' && !hasNews) return '/favicon.svg';
  return `/favicon/${phase}${hasNews ? '-calling' : ''}.svg`;
};

/** Whether the change from `before` to `now` plays the sound: more is unread, or there is news. */
export const isSoundDue = (before: Situation, now: Situation): boolean =>
  now.unread > before.unread ||
  now.friendNews > before.friendNews ||
  (now.hasChatChanged && !before.hasChatChanged);
