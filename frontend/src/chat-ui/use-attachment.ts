import { useEffect, useRef, useState } from 'react';
import { attachmentOf, discardAttachment, isAcceptable, type Attachment } from '@/chat-ui/attachment';

/** The one picture that a composer holds, from its choice until it is handed over or removed. */
export const useAttachment = (onChange: (hasPicture: boolean) => void) => {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  // Two pictures may come back in one turn, before the component renders.
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
    /** @returns whether it was acceptable; it replaces the one before. */
    attach: (file: File): boolean => {
      if (!isAcceptable(file)) return false;
      discardAttachment(present.current);
      hold(attachmentOf(file));
      return true;
    },
    takeBack: (returned: Attachment): void => hold(returned),
    /** The outbox owns it from now on. */
    handOver: (): void => hold(null),
    remove: (): void => {
      discardAttachment(present.current);
      hold(null);
    },
  };
};
