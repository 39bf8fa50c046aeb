import type { SocketErrorCode } from './error-codes.js';
import { formatImageMarkers, listImageUrls, parseImageMarkers } from './image-markers.js';
import { limits } from './limits.js';
import type { MessageType } from './scalars.js';
import { countCodePoints, hasVisibleCharacter, normalizeText, truncateGraphemes } from './text.js';

/** The normalised content to store, or the error code with which the message is refused. */
export type CheckedContent =
  | { content: string }
  | { refusal: Extract<SocketErrorCode, 'invalid_payload' | 'message_too_long' | 'image_not_yours'> };

/**
 * Normalises and checks a text message, or the text of an edit.
 * @param received  the text as the client sent it
 * @returns the normalised text; `invalid_payload` if it has no visible character; `message_too_long` if it has more
 *   than `limits.messageMaxCodePoints` code points
 */
export const checkText = (received: string): CheckedContent => {
  const content = normalizeText(received);
  if (!hasVisibleCharacter(content)) return { refusal: 'invalid_payload' };
  if (countCodePoints(content) > limits.messageMaxCodePoints) return { refusal: 'message_too_long' };
  return { content };
};

/**
 * Checks the content of a message of any type, and normalises its text. Does not check who uploaded the images.
 * @param received  the content as the client sent it
 * @returns the content to store, or one of these refusals:
 *   - `image_not_yours` for an image or mixed message without any URL of a chat image
 *   - `invalid_payload` for a mixed message with more than `limits.imagesPerMessage` images
 *   - the refusals of `checkText` for the text of a text or mixed message
 */
export const checkContent = (messageType: MessageType, received: string): CheckedContent => {
  switch (messageType) {
    case 'text':
      return checkText(received);
    case 'image':
      return listImageUrls('image', received).length === 0
        ? { refusal: 'image_not_yours' }
        : { content: received };
    case 'mixed': {
      const { text, imageUrls } = parseImageMarkers(normalizeText(received));
      if (imageUrls.length === 0) return { refusal: 'image_not_yours' };
      if (imageUrls.length > limits.imagesPerMessage) return { refusal: 'invalid_payload' };
      const checked = checkText(text);
      return 'refusal' in checked
        ? checked
        : { content: formatImageMarkers({ text: checked.content, imageUrls }) };
    }
    default:
      return messageType satisfies never;
  }
};

/**
 * Formats the quote of a message, which is shown in a reply to the message.
 * @param content  the content of the quoted message; empty if the message was deleted
 * @returns the first `limits.quoteMaxGraphemes` graphemes of the text, with '...' if the text is longer; 'Photo' for an
 *   image; an empty quote for a deleted message
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
