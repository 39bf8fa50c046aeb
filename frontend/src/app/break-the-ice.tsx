import { type ReactNode } from 'react';
import { type ChatMessage, type GameData } from '@/chat-ui/chat-message';
import { copy as copyOfChat } from '@/chat-ui/copy';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { BreakTheIceButton } from '@/features/icebreaker/components/break-the-ice-button';
import { Celebration } from '@/features/icebreaker/components/celebration';
import { GameCard } from '@/features/icebreaker/components/game-card';
import { RevealCard } from '@/features/icebreaker/components/reveal-card';
import { WaitingNotice } from '@/features/icebreaker/components/waiting-notice';
import { copy } from '@/features/icebreaker/copy';
import { openGame } from '@/features/random-chat/game-events';
import { type Session } from '@/features/random-chat/random-chat.state';
import { randomChat, useRandomChat } from '@/features/random-chat/random-chat.store';
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

/** What happened in the game, for whoever listens; the question itself is the partner's message. */
const saidAloud = (session: Session | null): string | null => {
  const newest = session?.messages.at(-1);
  if (!session || !newest) return null;
  const { username } = session.partner;
  if (newest.type === 'break_ice_reveal' && newest.gameData)
    return copy.revealAloud(newest.gameData, username);
  if (newest.type === 'break_ice_waiting' || newest.id.startsWith('ignored-')) return newest.content;
  return openGame(session)?.hasPartnerAnswered ? copy.partnerAnswered(username) : null;
};

/** What is no row of the chat: the effect of a reveal, and the words for whoever listens. */
export const BreakTheIceEffects = () => {
  const celebrated = useRandomChat(({ session, phase }) =>
    // Over the end of the chat there is nothing to celebrate.
    phase === 'active' ? (session?.celebrates ?? null) : null,
  );
  const words = useRandomChat(({ session, phase }) => (phase === 'active' ? saidAloud(session) : null));
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {words === null ? null : (
          <span key={words} data-says={words} className="before:content-[attr(data-says)]" />
        )}
      </p>
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
