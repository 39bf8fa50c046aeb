import { cn } from '@/lib/class-names';

export interface PresenceDotProps {
  isOnline: boolean;
  /** The colour that the picture stands on. */
  ground?: 'background' | 'card';
}

const grounds = {
  background: { ring: 'ring-background', fill: 'bg-background' },
  card: { ring: 'ring-card', fill: 'bg-card' },
};

/** In the corner of a picture. Filled when online, hollow when not: told by shape as well as by colour. */
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
