import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { BreakTheIceButton } from '@/features/random-chat/icebreaker/components/break-the-ice-button';
import { GameCard } from '@/features/random-chat/icebreaker/components/game-card';
import { RevealCard } from '@/features/random-chat/icebreaker/components/reveal-card';
import { WaitingNotice } from '@/features/random-chat/icebreaker/components/waiting-notice';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { readGameRow, type GameRow } from '@/features/random-chat/icebreaker/game';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsConnected } from '@/lib/socket/connection';
import { toast } from '@/ui/toast-store';

const start = async (): Promise<void> => {
  const outcome = await randomChat.game.start();
  if (outcome === 'too_fast' || outcome === 'failed') toast(copy.notStarted[outcome]);
};

/** Disabled during a game and without a connection (A73). */
export const BreakTheIce = () => {
  const isConnected = useIsConnected();
  const isBusy = useRandomChat(
    ({ session, isStartingGame }) =>
      isStartingGame || (session !== null && findOpenGame(session) !== undefined),
  );
  return <BreakTheIceButton isEnabled={isConnected && !isBusy} onPress={() => void start()} />;
};

/** A row that shows a game: its question or its reveal. */
type CardRow = Exclude<GameRow, { kind: 'break_ice_waiting' }>;

const Card = ({ row: { kind, game }, senderId }: { row: CardRow; senderId: number }) => {
  const partner = useRandomChat(({ session }) => session?.partner);
  const isJustRevealed = useRandomChat(({ session }) => session?.celebratedGame?.gameId === game.gameId);
  const isConnected = useIsConnected();
  if (!partner) return null;
  return kind === 'break_ice_reveal' ? (
    <RevealCard game={game} partnerName={partner.username} isJustRevealed={isJustRevealed} />
  ) : (
    <GameCard
      game={game}
      isMine={senderId !== partner.id}
      partnerName={partner.username}
      isConnected={isConnected}
      onAnswer={randomChat.game.answer}
      onIgnore={randomChat.game.ignore}
    />
  );
};

export const renderGameCard = (message: ChatMessage): ReactNode => {
  const row = readGameRow(message);
  if (!row) return null;
  if (row.kind === 'break_ice_waiting') return <WaitingNotice text={message.content} />;
  return (
    <PartBoundary title={copy.broken} resetKeys={[message]}>
      <Card row={row} senderId={message.senderId} />
    </PartBoundary>
  );
};
