import { X } from 'lucide-react';
import * as Dialog from 'radix-ui/dialog';
import { copy } from '@/chat-ui/copy';
import { useZoom } from '@/chat-ui/lightbox/use-zoom';
import { useCloseOnBack } from '@/lib/use-close-on-back';
import { rememberFocus, returnFocus } from '@/ui/focus-return';

export interface LightboxProps {
  url: string;
  /** The accessible name of the picture: says who sent it. */
  name: string;
  onClose: () => void;
}

/**
 * Shows one picture over the whole page. Esc, the close button and a click beside the picture close it; the focus
 * returns to the opener.
 */
export const Lightbox = ({ url, name, onClose }: LightboxProps) => {
  const { picture: pictureRef, handlers: zoomHandlers } = useZoom<HTMLImageElement>();
  useCloseOnBack(true, onClose); // the lightbox is mounted only while it is open
  return (
    <Dialog.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-modal bg-background/92 backdrop-blur-sm" />
        <Dialog.Content
          // Radix warns about a missing description unless this attribute is explicitly undefined.
          aria-describedby={undefined}
          // `touch-none` prevents a zoom of the page itself, which would remain after the lightbox is closed.
          className="fixed inset-0 z-modal touch-none overflow-hidden p-4 outline-none md:p-10"
          onClick={onClose}
          onOpenAutoFocus={rememberFocus}
          onCloseAutoFocus={returnFocus}
          {...zoomHandlers}
        >
          <Dialog.Title className="sr-only">{name}</Dialog.Title>
          <div className="enter-rise grid size-full place-items-center">
            <img
              ref={pictureRef}
              src={url}
              alt={name}
              draggable={false}
              onClick={(event) => event.stopPropagation()}
              className="max-h-full max-w-full rounded-control object-contain"
            />
          </div>
          <Dialog.Close
            aria-label={copy.photo.close}
            className="absolute top-[max(0.75rem,env(safe-area-inset-top))] right-3 grid size-11 place-items-center rounded-full bg-raised text-foreground hover:bg-raised-hover"
          >
            <X aria-hidden="true" className="size-5" />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
