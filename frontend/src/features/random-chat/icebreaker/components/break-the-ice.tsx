import { type ReactNode } from 'react';
import { type ChatMessage, type GameData } from '@/chat-ui/chat-message';
import { copy as copyOfChat } from '@/chat-ui/copy';
import { LiveLog, useLog, type LogEntry } from '@/chat-ui/live-log';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { BreakTheIceButton } from '@/features/random-chat/icebreaker/components/break-the-ice-button';
import { Celebration } from '@/features/random-chat/icebreaker/components/celebration';
import { GameCard } from '@/features/random-chat/icebreaker/components/game-card';
import { RevealCard } from '@/features/random-chat/icebreaker/components/reveal-card';
import { WaitingNotice } from '@/features/random-chat/icebreaker/components/waiting-notice';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { openGame } from '@/features/random-chat/icebreaker/game-events';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsConnected } from '@/lib/socket/connection';
import { toast } from '@/ui/toast-store';

/** Break the Ice in the random chat: the state of the one feature in the cards of the other. */

const start = async (): Promise<void> => {
  const outcome = await randomChat.game.start();
  if (outcome === 'too_fast' || outcome === 'failed') toast(copy.notStarted[outcome]);
};

/** One game at a time, and none while there is no connection (A73). */
export const BreakTheIce = () => {
  const isConnected = useIsConnected();
  const isBusy = useRandomChat(
    ({ session, isStartingGame }) => isStartingGame || (session !== null && openGame(session) !== undefined),
  );
  return <BreakTheIceButton isEnabled={isConnected && !isBusy} onPress={() => void start()} />;
};

const Card = ({ message, game }: { message: ChatMessage; game: GameData }) => {
  const partner = useRandomChat(({ session }) => session?.partner);
  const isNews = useRandomChat(({ session }) => session?.celebrates?.gameId === game.gameId);
  const isConnected = useIsConnected();
  if (!partner) return null;
  return message.type === 'break_ice_reveal' ? (
    <RevealCard game={game} partnerName={partner.username} isNews={isNews} />
  ) : (
    <GameCard
      game={game}
      isMine={message.senderId !== partner.id}
      partnerName={partner.username}
      isConnected={isConnected}
      onAnswer={randomChat.game.answer}
      onIgnore={randomChat.game.ignore}
    />
  );
};

export const renderGameCard = (message: ChatMessage): ReactNode => {
  if (message.type === 'break_ice_waiting') return <WaitingNotice text={message.content} />;
  return message.gameData ? (
    <PartBoundary title={copyOfChat.broken.game} resetKeys={[message]}>
      <Card message={message} game={message.gameData} />
    </PartBoundary>
  ) : null;
};

/** What is read aloud of the game, beside the question and the notices, which are rows of the chat. */
const spoken = (session: Session): LogEntry | null => {
  const { username } = session.partner;
  const newest = session.messages.at(-1);
  if (newest?.type === 'break_ice_reveal' && newest.gameData)
    return { key: newest.key, text: copy.revealAloud(newest.gameData, username) };
  const game = openGame(session);
  return game?.hasPartnerAnswered
    ? { key: `answered-${game.gameId}`, text: copy.partnerAnswered(username) }
    : null;
};

const GameLog = () => {
  const session = useRandomChat((state) => (state.phase === 'active' ? state.session : null));
  const news = session && spoken(session);
  return <LiveLog label={copy.log} entries={useLog(news ? [news] : [])} />;
};

/** What is no row of the chat: the effect of a reveal, and what is read aloud. */
export const BreakTheIceEffects = () => {
  const celebrated = useRandomChat(({ session, phase }) =>
    // Over the end of the chat there is nothing to celebrate.
    phase === 'active' ? (session?.celebrates ?? null) : null,
  );
  return (
    <>
      <GameLog />
      {celebrated ? (
        <Celebration
          key={celebrated.gameId}
          gameId={celebrated.gameId}
          isMatch={celebrated.isMatch}
          onOver={randomChat.celebrated}
        />
      ) : null}
    </>
  );
};
