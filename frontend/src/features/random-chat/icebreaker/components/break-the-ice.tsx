import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { BreakTheIceButton } from '@/features/random-chat/icebreaker/components/break-the-ice-button';
import { WaitingNotice } from '@/features/random-chat/icebreaker/components/waiting-notice';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { readGameRow, type GameRow } from '@/features/random-chat/icebreaker/game';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsConnected } from '@/lib/socket/connection';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { toast } from '@/ui/toast-store';

/** Its code is loaded separately from the chat, because not every chat has a game. */
export const shownGamePart = createPart(
  async () => (await import('@/features/random-chat/icebreaker/components/shown-game')).ShownGame,
);

const startGame = async (): Promise<void> => {
  const outcome = await randomChat.game.start();
  // The other outcomes need no toast: the page already shows a game, or that the chat is over.
  if (outcome === 'too_fast' || outcome === 'failed') toast(copy.notStarted[outcome]);
};

/** The button that starts a game. Disabled during a game and without a connection. */
export const BreakTheIce = () => {
  const isConnected = useIsConnected();
  const isBusy = useRandomChat(
    ({ session, isStartingGame }) =>
      isStartingGame || (session !== null && findOpenGame(session) !== undefined),
  );
  return <BreakTheIceButton isEnabled={isConnected && !isBusy} onPress={() => void startGame()} />;
};

/** A row with a card: the question of a game, or its reveal. The other kind of row is a notice. */
type GameCardRow = Exclude<GameRow, { kind: 'break_ice_waiting' }>;

const LoadedGameCard = ({ row, senderId }: { row: GameCardRow; senderId: number }) => {
  const { game } = row;
  const partner = useRandomChat(({ session }) => session?.partner);
  const isCelebrated = useRandomChat(({ session }) => session?.celebratedGame?.gameId === game.gameId);
  const isConnected = useIsConnected();
  if (!partner) return null;
  const { username: partnerName } = partner;
  return (
    <LoadedPart
      part={shownGamePart}
      // Reserves the height of a question while the code is loaded.
      pending={<div className="min-h-64" />}
      renderFailure={({ retry }) => <LoadError text={copy.gameNotShown} onRetry={retry} />}
      // After a failure, a change of the game retries.
      resetKeys={[game]}
    >
      {(ShownGame) =>
        row.kind === 'break_ice_reveal' ? (
          <ShownGame kind="reveal" game={game} partnerName={partnerName} isCelebrated={isCelebrated} />
        ) : (
          <ShownGame
            kind="question"
            game={game}
            partnerName={partnerName}
            isConnected={isConnected}
            // The sender of a question's row is the user who asked.
            isMine={senderId !== partner.id}
            onAnswer={randomChat.game.answer}
            onIgnore={randomChat.game.ignore}
          />
        )
      }
    </LoadedPart>
  );
};

/** Renders a message of Break the Ice; null for other messages. */
export const renderGameCard = (message: ChatMessage): ReactNode => {
  const row = readGameRow(message);
  if (!row) return null;
  if (row.kind === 'break_ice_waiting') return <WaitingNotice text={message.content} />;
  return <LoadedGameCard row={row} senderId={message.senderId} />;
};
