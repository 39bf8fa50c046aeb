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
  unread: number;
  /** Number of messages from the partner of the random chat. */
  partnerMessages: number;
  /** Number of friend requests received and accepted since the page was opened. */
  friendNews: number;
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
  unread,
  partnerMessages,
  friendNews,
}: AttentionOptions): void => {
  const isVisible = usePageVisible();
  useVisibleTabLock(isVisible);
  // The values when the page was last visible.
  const [seen, setSeen] = useState({ phase, partnerMessages, friendNews });
  const isSeen =
    seen.phase === phase && seen.partnerMessages === partnerMessages && seen.friendNews === friendNews;
  if (isVisible && !isSeen) setSeen({ phase, partnerMessages, friendNews });
  // A lower number belongs to a chat that began while the page was hidden: the user has seen none of its messages.
  if (!isVisible && partnerMessages < seen.partnerMessages) setSeen({ ...seen, partnerMessages: 0 });
  const unseenPartnerMessages = Math.max(0, partnerMessages - seen.partnerMessages);
  const unseenFriendNews = friendNews - seen.friendNews;

  const situation: Situation = {
    phase,
    partnerName,
    friendName,
    unread: unread + (isVisible ? 0 : unseenPartnerMessages + unseenFriendNews),
    friendNews,
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
  useEffect(() => {
    if (isSoundDue(previousSituation.current, situation)) {
      void playUnlessSeenElsewhere(isVisible).catch((error: unknown) =>
        console.warn('The sound could not be played', error),
      );
    }
    previousSituation.current = situation;
  });
};
