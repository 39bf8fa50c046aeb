import { type CSSProperties } from 'react';
import { cn } from '@/lib/class-names';

export interface AvatarProps {
  /** Id of the user. Determines the hue of the initials, which are shown when there is no picture. */
  id: number;
  name: string;
  picture?: string | null;
  /** Blurs the picture beyond recognition. */
  isBlurred?: boolean | undefined;
  className?: string;
}

/** Returns the first letters of the first two words with a letter, or a dot for a name without letters. */
const toInitials = (name: string): string =>
  name
    .split(/[\s\-_.]+/)
    .map((word) => /\p{L}/u.exec(word)?.[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase() || '·';

// 137.508° is the golden angle, which gives neighbouring ids distant hues.
const toHue = (id: number): number => Math.round((id * 137.508) % 360);

/** A user's picture or initials. Decorative: the name is always shown next to it. */
export const Avatar = ({ id, name, picture, isBlurred = false, className }: AvatarProps) => {
  const shape = cn('size-10 shrink-0 rounded-full object-cover', className);
  if (picture && isBlurred) {
    return (
      <span className={cn('inline-block overflow-hidden', shape)}>
        {/* The context menu of a long press is disabled, because it would show a preview of the picture. */}
        <img
          src={picture}
          alt=""
          draggable={false}
          className="pointer-events-none size-full scale-150 object-cover blur-sm [-webkit-touch-callout:none]"
        />
      </span>
    );
  }
  if (picture) return <img src={picture} alt="" className={shape} />;
  return (
    <span
      aria-hidden="true"
      style={{ '--hue': toHue(id) } as CSSProperties}
      className={cn('avatar-tint inline-grid place-items-center text-sm font-bold tracking-wide', shape)}
    >
      {toInitials(name)}
    </span>
  );
};
