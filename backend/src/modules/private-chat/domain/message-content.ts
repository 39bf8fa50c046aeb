import { imageUrlsOf, parseImageMarkers, withImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import type { MessageType } from '@thaw/contract/scalars';
import { codePointLength, normalizeText, truncateGraphemes } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain-error';

/** @throws DomainError invalid_payload when nothing is said, message_too_long */
export const requireText = (given: string): string => {
  const text = normalizeText(given);
  if (text === '') throw new DomainError('invalid_payload');
  if (codePointLength(text) > limits.messageMaxCodePoints) throw new DomainError('message_too_long');
  return text;
};

/**
 * A message's content as it may be stored. Whose its images are is asked elsewhere; here it is only that there are some.
 * @throws DomainError invalid_payload, message_too_long, image_not_yours
 */
export const requireContent = (messageType: MessageType, content: string): string => {
  switch (messageType) {
    case 'text':
      return requireText(content);
    case 'image':
      if (imageUrlsOf('image', content).length === 0) throw new DomainError('image_not_yours');
      return content;
    case 'mixed': {
      const { text, imageUrls } = parseImageMarkers(normalizeText(content));
      if (imageUrls.length === 0) throw new DomainError('image_not_yours');
      return withImageMarkers({ text: requireText(text), imageUrls });
    }
  }
};

/** What a reply shows of the message that it answers; of an image 'Photo' (A109), of a deleted one nothing. */
export const previewOf = (messageType: MessageType, content: string): string => {
  if (content === '') return '';
  switch (messageType) {
    case 'image':
      return 'Photo';
    case 'text':
      return truncateGraphemes(content, limits.replyPreviewInComposer);
    case 'mixed':
      return truncateGraphemes(parseImageMarkers(content).text, limits.replyPreviewInComposer);
  }
};
