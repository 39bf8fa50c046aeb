import { copy } from '@/chat-ui/copy';
import type { LightboxProps } from '@/chat-ui/lightbox/lightbox';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { LoadError } from '@/ui/load-error';
import { Modal } from '@/ui/modal';

/** The code of the lightbox, loaded on demand. Exported, because messages with a photo preload it. */
export const lightboxPart = createPart(async () => (await import('@/chat-ui/lightbox/lightbox')).Lightbox);

/** The lightbox, shown once its code is loaded. */
export const OpenedPhoto = (photo: LightboxProps) => (
  <LoadedPart
    part={lightboxPart}
    renderFailure={({ retry }) => (
      <Modal isOpen title={photo.name} onDismiss={photo.onClose}>
        <LoadError text={copy.photo.notLoaded} onRetry={retry} className="mt-4" />
      </Modal>
    )}
  >
    {(Lightbox) => <Lightbox {...photo} />}
  </LoadedPart>
);
