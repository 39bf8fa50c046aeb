import { useEffect, useRef, useState } from 'react';
import {
  attachmentOf,
  discardAttachment,
  isAcceptable,
  type Attachment,
} from '@/chat-ui/composer/attachment';

/** The single picture of a composer, from its choice until it is handed over or removed. */
export const useAttachment = (onChange: (hasPicture: boolean) => void) => {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  // A ref, because two pictures may be returned before the component renders.
  const present = useRef<Attachment | null>(null);
  const hold = (next: Attachment | null): void => {
    present.current = next;
    setAttachment(next);
    onChange(next !== null);
  };
  useEffect(() => () => discardAttachment(present.current), []);

  return {
    attachment,
    isEmpty: (): boolean => present.current === null,
    /** @returns whether the file was accepted; it replaces the previous picture. */
    attach: (file: File): boolean => {
      if (!isAcceptable(file)) return false;
      discardAttachment(present.current);
      hold(attachmentOf(file));
      return true;
    },
    takeBack: (returned: Attachment): void => hold(returned),
    /** Passes the ownership to the outbox. */
    handOver: (): void => hold(null),
    remove: (): void => {
      discardAttachment(present.current);
      hold(null);
    },
  };
};
