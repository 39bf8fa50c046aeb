import type { SocketErrorCode } from './error-codes.js';
import { imageUrlsOf, parseImageMarkers, withImageMarkers } from './image-markers.js';
import { limits } from './limits.js';
import type { MessageType } from './scalars.js';
import { codePointLength, hasVisibleCharacter, normalizeText, truncateGraphemes } from './text.js';

/** Content as it may be stored, or why it may not. */
export type CheckedContent =
  | { content: string }
  | { refusal: Extract<SocketErrorCode, 'invalid_payload' | 'message_too_long' | 'image_not_yours'> };

/** A text message, or the text of an edit: normalised, with at least one visible character, not too long. */
export const checkText = (given: string): CheckedContent => {
  const content = normalizeText(given);
  if (!hasVisibleCharacter(content)) return { refusal: 'invalid_payload' };
  if (codePointLength(content) > limits.messageMaxCodePoints) return { refusal: 'message_too_long' };
  return { content };
};

/** The content of a message of a given type. Checks how many images it shows, not whose they are. */
export const checkContent = (messageType: MessageType, given: string): CheckedContent => {
  switch (messageType) {
    case 'text':
      return checkText(given);
    case 'image':
      return imageUrlsOf('image', given).length === 0 ? { refusal: 'image_not_yours' } : { content: given };
    case 'mixed': {
      const { text, imageUrls } = parseImageMarkers(normalizeText(given));
      if (imageUrls.length === 0) return { refusal: 'image_not_yours' };
      if (imageUrls.length > limits.imagesPerMessage) return { refusal: 'invalid_payload' };
      const checked = checkText(text);
      return 'refusal' in checked
        ? checked
        : { content: withImageMarkers({ text: checked.content, imageUrls }) };
    }
    default:
      return messageType satisfies never;
  }
};

/** What a reply shows of the message that it answers: 'Photo' for an image (A109), nothing of a deleted message. */
export const quoteOf = (messageType: MessageType, content: string): string => {
  if (content === '') return '';
  switch (messageType) {
    case 'text':
      return truncateGraphemes(content, limits.replyPreviewInComposer);
    case 'image':
      return 'Photo';
    case 'mixed':
      return truncateGraphemes(parseImageMarkers(content).text, limits.replyPreviewInComposer);
    default:
      return messageType satisfies never;
  }
};
