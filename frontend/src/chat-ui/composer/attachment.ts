import { limits } from '@thaw/contract/limits';

/** A picture that is chosen but not sent yet. */
export interface Attachment {
  previewUrl: string;
  /** Null if a message was returned to the composer and its picture is left only on the server. */
  file: File | null;
  /** URL of the picture on the server; null until it is uploaded. */
  url: string | null;
}

export const createAttachment = (file: File): Attachment => ({
  previewUrl: URL.createObjectURL(file),
  file,
  url: null,
});

/**
 * Frees the object URL of the preview; a picture without a file has none. Only the current owner of the attachment, the
 * composer or the outbox, may call it.
 */
export const discardAttachment = (attachment: Attachment | null | undefined): void => {
  if (attachment?.file) URL.revokeObjectURL(attachment.previewUrl);
};

/** @returns why the file may not be attached; null for an image of at most 5 MiB (docs/product-decisions.md, A95) */
const explainRefusal = ({ type, size }: File): string | null => {
  if (!type.startsWith('image/'))
    return type === '' ? 'its type is unknown' : `it is not an image but ${type}`;
  return size > limits.imageMaxBytes ? `${size} bytes are too many` : null;
};

/** Whether a file may be attached. The reason of a refusal is only logged. */
export const isAcceptable = (file: File): boolean => {
  const refusal = explainRefusal(file);
  if (refusal) console.warn(`The file was not attached: ${refusal}`);
  return refusal === null;
};
