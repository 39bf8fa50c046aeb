import { GameCard, type GameCardProps } from '@/features/random-chat/icebreaker/components/game-card';
import { RevealCard, type RevealCardProps } from '@/features/random-chat/icebreaker/components/reveal-card';

export type ShownGameProps = ({ kind: 'question' } & GameCardProps) | ({ kind: 'reveal' } & RevealCardProps);

/** The card of a game: its question, or its reveal. */
export const ShownGame = (props: ShownGameProps) =>
  props.kind === 'question' ? <GameCard {...props} /> : <RevealCard {...props} />;
