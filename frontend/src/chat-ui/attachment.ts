import { limits } from '@thaw/contract/limits';

/** A picture that was chosen and is not sent yet. */
export interface Attachment {
  previewUrl: string;
  /** Absent when only the stored picture is left, after it came back from the server. */
  file: File | null;
  /** Its address, once it is stored. */
  url: string | null;
}

export const attachmentOf = (file: File): Attachment => ({
  previewUrl: URL.createObjectURL(file),
  file,
  url: null,
});

/** Frees the preview; to be called by the last owner of the attachment. */
export const discardAttachment = (attachment: Attachment | null | undefined): void => {
  if (attachment?.file) URL.revokeObjectURL(attachment.previewUrl);
};

/** Only images of at most 5 MiB; others are refused without a visible message (specification §8, A95). */
export const isAcceptable = (file: File): boolean => {
  const refusal = !file.type.startsWith('image/')
    ? `it is no image but ${file.type || 'of no known type'}`
    : file.size > limits.imageMaxBytes
      ? `${file.size} bytes are too many`
      : null;
  if (refusal) console.warn(`The file was not attached: ${refusal}`);
  return refusal === null;
};
