import { limits } from '@thaw/contract/limits';

/** A picture that is chosen but not sent yet. */
export interface Attachment {
  previewUrl: string;
  /** Null when only the stored picture is left, after the message was returned by the server. */
  file: File | null;
  /** Address of the stored picture; null until it is uploaded. */
  url: string | null;
}

export const createAttachment = (file: File): Attachment => ({
  previewUrl: URL.createObjectURL(file),
  file,
  url: null,
});

/** Frees the preview. Only the owner of the attachment, composer or outbox, may call it. */
export const discardAttachment = (attachment: Attachment | null | undefined): void => {
  if (attachment?.file) URL.revokeObjectURL(attachment.previewUrl);
};

/** Accepts only images of at most 5 MiB; others are refused without a visible message (specification §8, A95). */
export const isAcceptable = (file: File): boolean => {
  const refusal = !file.type.startsWith('image/')
    ? `it is no image but ${file.type || 'of no known type'}`
    : file.size > limits.imageMaxBytes
      ? `${file.size} bytes are too many`
      : null;
  if (refusal) console.warn(`The file was not attached: ${refusal}`);
  return refusal === null;
};
