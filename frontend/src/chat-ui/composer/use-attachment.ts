import { useEffect, useRef, useState } from 'react';
import {
  createAttachment,
  discardAttachment,
  isAcceptable,
  type Attachment,
} from '@/chat-ui/composer/attachment';

/** The single picture of a composer, from its choice until it is handed over or removed. */
export const useAttachment = (onChange: (hasPicture: boolean) => void) => {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  // A ref, because two pictures may be returned before the component renders.
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
    /** @returns whether the file was accepted; it replaces the previous picture. */
    attach: (file: File): boolean => {
      if (!isAcceptable(file)) return false;
      discardAttachment(latest.current);
      replaceAttachment(createAttachment(file));
      return true;
    },
    takeBack: (returned: Attachment): void => replaceAttachment(returned),
    /** Passes the ownership to the outbox. */
    handOver: (): void => replaceAttachment(null),
    remove: (): void => {
      discardAttachment(latest.current);
      replaceAttachment(null);
    },
  };
};
