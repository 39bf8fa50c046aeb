import { useEffect, useRef, useState } from 'react';
import { selectFavicon, isSoundDue, formatTitle, type Situation } from '@/features/attention/attention';
import { playChime } from '@/features/attention/chime';
import { isAnotherTabVisible, useVisibleTabLock } from '@/features/attention/visible-tab';
import { usePageVisible } from '@/lib/page-visible';

export interface AttentionOptions {
  phase: Situation['phase'];
  partnerName: string | undefined;
  friendName: string | undefined;
  /** Unread messages of friends. */
  unread: number;
  /** Number of messages from the partner of the random chat. */
  partnerMessages: number;
  /** Friend requests received and accepted since the page was opened. */
  friendNews: number;
}

const setFavicon = (href: string): void => {
  document.querySelector('link[rel="icon"]')?.setAttribute('href', href);
};

/** A hidden tab stays silent while another tab is visible: the user is reading there. */
const playUnlessSeenElsewhere = async (isVisible: boolean): Promise<void> => {
  if (isVisible || !(await isAnotherTabVisible())) await playChime();
};

/** Keeps the title, the icon and the sound in step with the situation (B14). */
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
  const [seen, setSeen] = useState({ phase, partnerMessages, friendNews });
  const isSeen =
    seen.phase === phase && seen.partnerMessages === partnerMessages && seen.friendNews === friendNews;
  // A chat that began while the page was hidden counts its messages from zero.
  if (isVisible ? !isSeen : partnerMessages < seen.partnerMessages) {
    setSeen(isVisible ? { phase, partnerMessages, friendNews } : { ...seen, partnerMessages: 0 });
  }

  const situation: Situation = {
    phase,
    partnerName,
    friendName,
    unread:
      unread +
      (isVisible ? 0 : Math.max(0, partnerMessages - seen.partnerMessages) + friendNews - seen.friendNews),
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
    return () => setFavicon('/favicon.svg');
  }, [favicon]);

  const before = useRef(situation);
  useEffect(() => {
    if (isSoundDue(before.current, situation)) {
      void playUnlessSeenElsewhere(isVisible).catch((error: unknown) =>
        console.warn('The sound could not be played', error),
      );
    }
    before.current = situation;
  });
};
