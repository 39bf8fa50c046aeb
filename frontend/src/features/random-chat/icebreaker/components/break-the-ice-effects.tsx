import { LiveLog, useLog, type LogEntry } from '@/chat-ui/announcements/live-log';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { readGameRow } from '@/features/random-chat/icebreaker/game';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { createPart, LoadedPart } from '@/ui/loaded-part';

export const celebrationPart = createPart(
  async () => (await import('@/features/random-chat/icebreaker/components/celebration')).Celebration,
);

/**
 * What screen readers announce now: a reveal if it is the newest row of the chat, otherwise that the partner has
 * answered the open game. The message list announces the game's other rows.
 */
const createAnnouncement = (session: Session): LogEntry | null =>
  announceReveal(session) ?? announcePartnerAnswer(session);

const announceReveal = ({ messages, partner }: Session): LogEntry | null => {
  const newest = messages.at(-1);
  if (!newest) return null;
  const row = readGameRow(newest);
  if (row?.kind !== 'break_ice_reveal') return null;
  return { key: newest.key, text: copy.revealAnnouncement(row.game, partner.username) };
};

const announcePartnerAnswer = (session: Session): LogEntry | null => {
  const game = findOpenGame(session);
  if (!game?.hasPartnerAnswered) return null;
  return { key: `answered-${game.gameId}`, text: copy.partnerAnswered(session.partner.username) };
};

const GameLog = () => {
  const session = useRandomChat((state) => (state.phase === 'active' ? state.session : null));
  const announcement = session && createAnnouncement(session);
  return <LiveLog label={copy.log} entries={useLog(announcement ? [announcement] : [])} />;
};

/** The parts of the game that are not rows of the chat: the celebration of a reveal, and the announcements. */
export const BreakTheIceEffects = () => {
  // There is no celebration once the chat has ended.
  const celebratedGame = useRandomChat(({ session, phase }) =>
    phase === 'active' ? (session?.celebratedGame ?? null) : null,
  );
  return (
    <>
      <GameLog />
      {celebratedGame ? (
        // The celebration only decorates the reveal. If its code cannot be loaded, no error is shown.
        <LoadedPart key={celebratedGame.gameId} part={celebrationPart} renderFailure={() => null}>
          {(Celebration) => (
            <Celebration
              gameId={celebratedGame.gameId}
              isMatch={celebratedGame.isMatch}
              onEnd={randomChat.handleCelebrationEnd}
            />
          )}
        </LoadedPart>
      ) : null}
    </>
  );
};
