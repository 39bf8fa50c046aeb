import { useEffect, useRef, useState } from 'react';
import { selectFavicon, isSoundDue, formatTitle, type Situation } from '@/features/attention/attention';
import { playChime } from '@/features/attention/chime';
import { isAnotherTabVisible, useVisibleTabLock } from '@/features/attention/visible-tab';
import { usePageVisible } from '@/lib/page-visible';

export interface AttentionOptions {
  phase: Situation['phase'];
  partnerName: string | undefined;
  /** The friend whose private chat is open. */
  friendName: string | undefined;
  /** Unread messages of friends. */
  unreadCount: number;
  /** Number of messages from the partner of the random chat. */
  partnerMessageCount: number;
  /** Number of friend requests that the user received, plus those that others accepted, since the page was opened. */
  friendNewsCount: number;
}

const defaultFavicon = '/favicon.svg';

const setFavicon = (href: string): void => {
  document.querySelector('link[rel="icon"]')?.setAttribute('href', href);
};

/** A hidden tab stays silent while another tab is visible: the user is reading there. */
const playUnlessSeenElsewhere = async (isVisible: boolean): Promise<void> => {
  if (isVisible || !(await isAnotherTabVisible())) await playChime();
};

/** Updates the tab's title and icon and plays the sound when the situation changes (docs/product-decisions.md, B14). */
export const useAttention = ({
  phase,
  partnerName,
  friendName,
  unreadCount,
  partnerMessageCount,
  friendNewsCount,
}: AttentionOptions): void => {
  const isVisible = usePageVisible();
  useVisibleTabLock(isVisible);
  // What the user has seen: the values when the page was last visible, unless a chat has begun since (see below).
  const [seen, setSeen] = useState({ phase, partnerMessageCount, friendNewsCount });
  const isSeen =
    seen.phase === phase &&
    seen.partnerMessageCount === partnerMessageCount &&
    seen.friendNewsCount === friendNewsCount;
  if (isVisible && !isSeen) setSeen({ phase, partnerMessageCount, friendNewsCount });
  // A lower number belongs to a chat that began while the page was hidden: the user has seen none of its messages.
  if (!isVisible && partnerMessageCount < seen.partnerMessageCount)
    setSeen({ ...seen, partnerMessageCount: 0 });
  const unseenPartnerMessageCount = Math.max(0, partnerMessageCount - seen.partnerMessageCount);
  const unseenFriendNewsCount = friendNewsCount - seen.friendNewsCount;

  const situation: Situation = {
    phase,
    partnerName,
    friendName,
    // A hidden page adds what the user has not seen. On a visible page, only `friendNewsCount` plays the sound for news
    // of friends.
    unreadCount: unreadCount + (isVisible ? 0 : unseenPartnerMessageCount + unseenFriendNewsCount),
    friendNewsCount,
    // `active` begins a chat, and `skipped` ends it.
    hasChatChanged: !isVisible && phase !== seen.phase && (phase === 'active' || phase === 'skipped'),
  };
  const title = formatTitle(situation);
  const favicon = selectFavicon(situation);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    setFavicon(favicon);
    return () => setFavicon(defaultFavicon);
  }, [favicon]);

  const previousSituation = useRef(situation);
  // After every render, because `situation` is a new object each time.
  useEffect(() => {
    if (isSoundDue(previousSituation.current, situation)) {
      void playUnlessSeenElsewhere(isVisible).catch((error: unknown) =>
        console.warn('The sound could not be played', error),
      );
    }
    previousSituation.current = situation;
  });
};
