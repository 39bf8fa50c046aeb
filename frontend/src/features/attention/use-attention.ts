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
  unreadFriendMessageCount: number;
  /** Number of messages from the partner of the random chat. */
  partnerMessageCount: number;
  /** Number of friend requests received, and of own requests accepted, since the page was opened. */
  friendNewsCount: number;
}

const defaultFavicon = '/favicon.svg';

const setFavicon = (href: string): void => {
  document.querySelector('link[rel="icon"]')?.setAttribute('href', href);
};

/** Plays the sound, unless this tab is hidden and another one is visible: the user is reading there. */
const playUnlessSeenElsewhere = async (isVisible: boolean): Promise<void> => {
  if (isVisible || !(await isAnotherTabVisible())) await playChime();
};

type News = Pick<AttentionOptions, 'phase' | 'partnerMessageCount' | 'friendNewsCount'>;

/** What the user has seen: the current values while the page is visible, else those from when it last was. */
const useSeenNews = (current: News, isVisible: boolean): News => {
  const [seen, setSeen] = useState(current);
  const isUpToDate =
    seen.phase === current.phase &&
    seen.partnerMessageCount === current.partnerMessageCount &&
    seen.friendNewsCount === current.friendNewsCount;
  if (isVisible && !isUpToDate) setSeen(current);
  // A lower number belongs to a chat that began while the page was hidden: none of its messages has been seen.
  const hasChatBegunUnseen = !isVisible && current.partnerMessageCount < seen.partnerMessageCount;
  if (hasChatBegunUnseen) setSeen({ ...seen, partnerMessageCount: 0 });
  return seen;
};

/** Updates the tab's title and icon and plays the sound when the situation changes (docs/product-decisions.md, B14). */
export const useAttention = ({
  phase,
  partnerName,
  friendName,
  unreadFriendMessageCount,
  partnerMessageCount,
  friendNewsCount,
}: AttentionOptions): void => {
  const isVisible = usePageVisible();
  useVisibleTabLock(isVisible);
  const seen = useSeenNews({ phase, partnerMessageCount, friendNewsCount }, isVisible);
  const unseenPartnerMessageCount = Math.max(0, partnerMessageCount - seen.partnerMessageCount);
  const unseenFriendNewsCount = friendNewsCount - seen.friendNewsCount;
  const hasBegunOrEnded = phase !== seen.phase && (phase === 'active' || phase === 'skipped');

  const situation: Situation = {
    phase,
    partnerName,
    friendName,
    unreadCount:
      unreadFriendMessageCount + (isVisible ? 0 : unseenPartnerMessageCount + unseenFriendNewsCount),
    friendNewsCount,
    hasChatChanged: !isVisible && hasBegunOrEnded,
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
