import { mayBeExplicit } from '@thaw/contract/uploads';
import { EyeOff, ImageOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { lightboxPart } from '@/chat-ui/lightbox/opened-photo';
import { cn } from '@/lib/class-names';

export interface MessageImageProps {
  url: string;
  /** The accessible name of the picture, which says who sent it. */
  name: string;
  /** Label of the button that reveals a hidden picture, which is blurred; null when the picture is not hidden. */
  revealLabel: string | null;
  onReveal: (url: string) => void;
  onOpen: (url: string) => void;
}

// One fixed size for all pictures, so that loading causes no layout shift. The lightbox shows the whole picture.
const frameClass = 'relative block aspect-[4/3] w-64 max-w-full overflow-hidden rounded-control bg-raised';

const BrokenImage = () => (
  <div
    className={cn(
      frameClass,
      'grid place-content-center justify-items-center gap-2 p-4 text-muted-foreground',
    )}
  >
    <ImageOff aria-hidden="true" className="size-6" />
    <p className="text-center text-sm">{copy.message.brokenPhoto}</p>
  </div>
);

/** What a hidden picture shows over the blur. */
const HiddenImageCover = ({ url }: { url: string }) => (
  <span
    aria-hidden="true"
    className="absolute inset-0 grid place-content-center justify-items-center gap-2 bg-overlay text-base font-semibold"
  >
    <span className="inline-flex h-11 items-center gap-2 rounded-full bg-popover px-4 text-foreground">
      <EyeOff className="size-4" />
      {copy.message.showPhoto}
    </span>
    {/* The server puts the result of its classifier into the URL. */}
    {mayBeExplicit(url) ? (
      <span className="rounded-full bg-popover px-3 py-1 text-sm font-normal text-foreground">
        {copy.message.mayBeExplicit}
      </span>
    ) : null}
  </span>
);

/** A picture inside a bubble. A press reveals a hidden picture, and opens any other. */
export const MessageImage = ({ url, name, revealLabel, onReveal, onOpen }: MessageImageProps) => {
  const [isBroken, setBroken] = useState(false);
  // Loads the code of the lightbox before the first press needs it.
  useEffect(() => void lightboxPart.preload(), []);
  if (isBroken) return <BrokenImage />;
  const isHidden = revealLabel !== null;
  return (
    <button
      type="button"
      aria-label={isHidden ? revealLabel : copy.message.openPhoto(name)}
      className={cn(frameClass, 'group/image')}
      onClick={() => (isHidden ? onReveal(url) : onOpen(url))}
    >
      <img
        src={url}
        alt={isHidden ? '' : name}
        draggable={false}
        decoding="async"
        onError={() => setBroken(true)}
        className={cn(
          'size-full object-cover transition-[filter,scale] duration-180',
          // A long press on a hidden picture must not open the context menu, which would show it unblurred.
          isHidden
            ? 'pointer-events-none scale-125 blur-2xl [-webkit-touch-callout:none]'
            : 'group-hover/image:scale-[1.02]',
        )}
      />
      {isHidden ? <HiddenImageCover url={url} /> : null}
    </button>
  );
};
