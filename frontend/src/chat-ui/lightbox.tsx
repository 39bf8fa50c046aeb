import { X } from 'lucide-react';
import * as Dialog from 'radix-ui/dialog';
import { useRef } from 'react';
import { useBackCloses } from '@/lib/use-back-closes';

export interface LightboxProps {
  url: string;
  /** Whose picture it is, in words. */
  name: string;
  onClose: () => void;
}

/** One picture over everything. Esc, the cross and a click beside it close it; the focus returns to where it was. */
export const Lightbox = ({ url, name, onClose }: LightboxProps) => {
  const opener = useRef<Element | null>(null);
  useBackCloses(true, onClose);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-modal bg-background/92 backdrop-blur-sm" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-0 z-modal grid place-items-center p-4 outline-none md:p-10"
          onClick={onClose}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
        >
          <Dialog.Title className="sr-only">{name}</Dialog.Title>
          <img
            src={url}
            alt={name}
            onClick={(event) => event.stopPropagation()}
            className="enter-rise max-h-full max-w-full rounded-control object-contain"
          />
          <Dialog.Close
            aria-label="Close"
            className="absolute top-[max(0.75rem,env(safe-area-inset-top))] right-3 grid size-11 place-items-center rounded-full bg-raised text-foreground hover:bg-raised-hover"
          >
            <X aria-hidden="true" className="size-5" />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
