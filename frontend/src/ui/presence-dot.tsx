import { cn } from '@/lib/class-names';

export interface PresenceDotProps {
  isOnline: boolean;
  /** The surface behind the picture: the page's background or a card. The ring around the dot has its colour. */
  ground?: 'background' | 'card';
}

const grounds = {
  background: { ring: 'ring-background', fill: 'bg-background' },
  card: { ring: 'ring-card', fill: 'bg-card' },
};

/** A dot in the corner of a picture: coloured and filled for online, grey and hollow for offline. */
export const PresenceDot = ({ isOnline, ground = 'background' }: PresenceDotProps) => (
  <span
    aria-hidden="true"
    className={cn(
      'absolute right-0 bottom-0 size-3 rounded-full ring-2',
      grounds[ground].ring,
      isOnline ? 'bg-success' : cn('border-2 border-muted-foreground', grounds[ground].fill),
    )}
  />
);
