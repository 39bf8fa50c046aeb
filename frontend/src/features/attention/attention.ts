import { copy } from '@/features/attention/copy';
import { pageLimits } from '@/lib/page-limits';
import { productName } from '@/product/document-title';

/** What the page is about right now; nothing of what anybody has written. */
export interface Situation {
  phase: 'initial' | 'searching' | 'active' | 'skipped';
  partnerName: string | undefined;
  /** The friend whose private chat is open. */
  friendName: string | undefined;
  /** Messages that wait to be read, from friends and, out of sight, from the partner; and friends' news out of sight. */
  unread: number;
  /** Friend requests received and accepted since the page was opened. */
  friendNews: number;
  /** The random chat began or ended while the tab was out of sight. */
  isNews: boolean;
}

const stateOf = ({ phase, partnerName, friendName }: Situation): string => {
  switch (phase) {
    case 'searching':
      return copy.searching;
    case 'active':
      return copy.active(partnerName ?? '');
    case 'skipped':
      return copy.skipped;
    case 'initial':
      return friendName ?? copy.initial;
  }
};

/** The title of the document: how many wait, and the state (B14). */
export const titleOf = (situation: Situation): string => {
  const { unread } = situation;
  const count = unread > pageLimits.unreadBadgeMax ? `${pageLimits.unreadBadgeMax}+` : String(unread);
  return `${unread > 0 ? `(${count}) ` : ''}${stateOf(situation)} · ${productName}`;
};

/** Where the icon of this situation is; with a dot when something waits. */
export const faviconOf = ({ phase, unread, isNews }: Situation): string => {
  const isCalling = unread > 0 || isNews;
  if (phase === 'initial' && !isCalling) return '/favicon.svg';
  return `/favicon/${phase}${isCalling ? '-calling' : ''}.svg`;
};

/** Whether this change deserves a sound: more waits than before, or there is news. */
export const isCall = (before: Situation, now: Situation): boolean =>
  now.unread > before.unread || now.friendNews > before.friendNews || (now.isNews && !before.isNews);
