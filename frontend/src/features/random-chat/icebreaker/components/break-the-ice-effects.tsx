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

/** The game's announcement for screen readers. Questions and notices are rows of the chat and announced there. */
const createAnnouncement = (session: Session): LogEntry | null => {
  const { username } = session.partner;
  const newest = session.messages.at(-1);
  const row = newest && readGameRow(newest);
  if (newest && row?.kind === 'break_ice_reveal')
    return { key: newest.key, text: copy.revealAnnouncement(row.game, username) };
  const game = findOpenGame(session);
  return game?.hasPartnerAnswered
    ? { key: `answered-${game.gameId}`, text: copy.partnerAnswered(username) }
    : null;
};

const GameLog = () => {
  const session = useRandomChat((state) => (state.phase === 'active' ? state.session : null));
  const announcement = session && createAnnouncement(session);
  return <LiveLog label={copy.log} entries={useLog(announcement ? [announcement] : [])} />;
};

/** The parts of the game that are not rows of the chat: the effect of a reveal, and the announcements. */
export const BreakTheIceEffects = () => {
  const celebratedGame = useRandomChat(({ session, phase }) =>
    // No celebration once the chat has ended.
    phase === 'active' ? (session?.celebratedGame ?? null) : null,
  );
  return (
    <>
      <GameLog />
      {celebratedGame ? (
        // A reveal without its effect is complete, so nothing is shown if the code cannot be loaded.
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
