import type { SocketErrorCode } from './error-codes.js';
import { listImageUrls, parseImageMarkers, withImageMarkers } from './image-markers.js';
import { limits } from './limits.js';
import type { MessageType } from './scalars.js';
import { countCodePoints, hasVisibleCharacter, normalizeText, truncateGraphemes } from './text.js';

/** Content in the form to be stored, or the code of the error to refuse it with. */
export type CheckedContent =
  | { content: string }
  | { refusal: Extract<SocketErrorCode, 'invalid_payload' | 'message_too_long' | 'image_not_yours'> };

/**
 * Normalises and checks a text message, or the text of an edit.
 * @param given  the text as received
 * @returns the normalised text; `invalid_payload` without a visible character; `message_too_long` for more than
 *   `limits.messageMaxCodePoints` code points
 */
export const checkText = (given: string): CheckedContent => {
  const content = normalizeText(given);
  if (!hasVisibleCharacter(content)) return { refusal: 'invalid_payload' };
  if (countCodePoints(content) > limits.messageMaxCodePoints) return { refusal: 'message_too_long' };
  return { content };
};

/**
 * Normalises and checks the content of a message of any type. Does not check who may use the images it shows.
 * @param given  the content as received
 * @returns the content to store; `image_not_yours` when an image or mixed message shows no chat image;
 *   `invalid_payload` for more than `limits.imagesPerMessage` images; otherwise as `checkText`
 */
export const checkContent = (messageType: MessageType, given: string): CheckedContent => {
  switch (messageType) {
    case 'text':
      return checkText(given);
    case 'image':
      return listImageUrls('image', given).length === 0 ? { refusal: 'image_not_yours' } : { content: given };
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

/**
 * The quote that a reply shows of the message it replies to.
 * @param content  the content of that message; empty when it was deleted
 * @returns at most `limits.quoteMaxGraphemes` graphemes of its text, 'Photo' for an image (A109), empty for a
 *   deleted message
 */
export const formatQuote = (messageType: MessageType, content: string): string => {
  if (content === '') return '';
  switch (messageType) {
    case 'text':
      return truncateGraphemes(content, limits.quoteMaxGraphemes);
    case 'image':
      return 'Photo';
    case 'mixed':
      return truncateGraphemes(parseImageMarkers(content).text, limits.quoteMaxGraphemes);
    default:
      return messageType satisfies never;
  }
};
