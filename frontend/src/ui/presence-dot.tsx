import { cn } from '@/lib/class-names';

export interface PresenceDotProps {
  isOnline: boolean;
  /** Background colour behind the picture. */
  ground?: 'background' | 'card';
}

const grounds = {
  background: { ring: 'ring-background', fill: 'bg-background' },
  card: { ring: 'ring-card', fill: 'bg-card' },
};

/** A dot in the corner of a picture: filled when online, hollow when offline, so not distinguished by colour alone. */
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
