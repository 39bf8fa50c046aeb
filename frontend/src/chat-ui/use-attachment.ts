import { useEffect, useRef, useState } from 'react';
import { limits } from '@thaw/contract/limits';

/** A picture chosen, not sent yet. */
export interface Attachment {
  previewUrl: string;
  file: File | null;
  /** Its address, once it is stored. */
  url: string | null;
}

const discard = (attachment: Attachment | null): void => {
  if (attachment?.file) URL.revokeObjectURL(attachment.previewUrl);
};

/** Only images of at most 5 MiB; all others are refused without a word to the person (specification §8, A95). */
const isAcceptable = (file: File): boolean => {
  const refusal = !file.type.startsWith('image/')
    ? `it is no image but ${file.type || 'of no known type'}`
    : file.size > limits.imageMaxBytes
      ? `${file.size} bytes are too many`
      : null;
  if (refusal) console.warn(`The file was not attached: ${refusal}`);
  return refusal === null;
};

/** The one picture that a composer holds, from its choice until it is sent or removed. */
export const useAttachment = (upload: ((file: File) => Promise<string>) | undefined) => {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  const [isUploading, setUploading] = useState(false);

  const latest = useRef(attachment);
  useEffect(() => {
    latest.current = attachment;
  });
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
      discard(latest.current);
    };
  }, []);

  const detach = (): void => {
    discard(attachment);
    setAttachment(null);
  };

  return {
    attachment,
    isUploading,
    detach,
    /** @returns whether it was acceptable; it replaces the one before. */
    attach: (file: File): boolean => {
      if (!isAcceptable(file)) return false;
      discard(attachment);
      setAttachment({ previewUrl: URL.createObjectURL(file), file, url: null });
      return true;
    },
    /** One that has been sent and has come back; one chosen since then stays. */
    takeBack: (url: string): void =>
      setAttachment((present) => present ?? { previewUrl: url, file: null, url }),
    /** Stored and not taken: it need not be stored again. */
    keepStored: (url: string): void => setAttachment((present) => present && { ...present, url }),
    /** Stores it and hands over its address, unless the composer is gone by then: the chat it was meant for may be over. */
    store: async (onStored: (url: string) => void): Promise<void> => {
      const file = attachment?.file;
      if (!upload || !file) return;
      setUploading(true);
      try {
        const url = await upload(file);
        if (isHere.current) onStored(url);
      } catch (error) {
        // Cancels the send without a word; the text stays (specification §8, A97).
        console.warn('The photo was not stored', error);
        if (isHere.current) detach();
      } finally {
        if (isHere.current) setUploading(false);
      }
    },
  };
};
