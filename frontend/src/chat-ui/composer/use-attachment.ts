import { useEffect, useRef, useState } from 'react';
import {
  createAttachment,
  discardAttachment,
  isAcceptable,
  type Attachment,
} from '@/chat-ui/composer/attachment';

/**
 * The one picture of a composer, from its choice until it is removed or handed over to the outbox, which holds messages
 * until the server acknowledges them.
 */
export const useAttachment = (onChange: (hasPicture: boolean) => void) => {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  // A ref, so that `isEmpty` is up to date when the outbox returns two pictures before the next render.
  const latest = useRef<Attachment | null>(null);
  const replaceAttachment = (next: Attachment | null): void => {
    latest.current = next;
    setAttachment(next);
    onChange(next !== null);
  };
  useEffect(() => () => discardAttachment(latest.current), []);

  return {
    attachment,
    isEmpty: (): boolean => latest.current === null,
    /**
     * Replaces the picture by a chosen file.
     * @returns false, and keeps the previous picture, if the file is not acceptable
     */
    attach: (file: File): boolean => {
      if (!isAcceptable(file)) return false;
      discardAttachment(latest.current);
      replaceAttachment(createAttachment(file));
      return true;
    },
    /** Shows a picture that the outbox has returned. Call only while `isEmpty` returns true. */
    takeBack: (returned: Attachment): void => replaceAttachment(returned),
    /** Empties the composer without freeing the picture: the outbox owns it from now on. */
    handOver: (): void => replaceAttachment(null),
    remove: (): void => {
      discardAttachment(latest.current);
      replaceAttachment(null);
    },
  };
};
