import { replaceContactDetails } from '@thaw/contract/contact-details';
import { parseImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { truncateGraphemes } from '@thaw/contract/text';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { isHiddenInsult } from '@/chat-ui/insults/insult-guard';
import { pageLimits } from '@/lib/page-limits';

/** The text and the pictures of a message. */
export interface MessageContent {
  text: string;
  imageUrls: readonly string[];
}

/** Splits the content of a message into its text and the URLs of its pictures. */
export const parseContent = ({
  type,
  content,
  picture,
}: Pick<ChatMessage, 'type' | 'content' | 'picture'>): MessageContent => {
  // The user's own picture before the acknowledgement: `content` is only its caption.
  if (picture) return { text: content, imageUrls: [picture.previewUrl] };
  switch (type) {
    case 'image':
      return { text: '', imageUrls: [content] };
    case 'mixed':
      return parseImageMarkers(content);
    default:
      return { text: content, imageUrls: [] };
  }
};

/** Describes a message by its text, or as 'Photo' if it is a picture without a caption. */
export const describeMessage = (message: Pick<ChatMessage, 'type' | 'content'>): string =>
  parseContent(message).text.trim() || copy.message.photo;

/** Replaces the contact details in the text of a stranger. Unlike in a message, they cannot be revealed. */
export const hideContacts = (text: string): string => replaceContactDetails(text, copy.message.hiddenContact);

/** Replaces the text of a stranger by a placeholder if it is an insult; otherwise replaces its contact details. */
export const hideInsultsAndContacts = (text: string): string =>
  isHiddenInsult(text) ? copy.message.hiddenMessage : hideContacts(text);

/** Quote inside a message: at most 50 graphemes, then '...'. */
export const quoteInMessage = (description: string): string =>
  truncateGraphemes(description, pageLimits.replyPreviewGraphemes);

/** Quote above the composer during a reply: at most 60 graphemes, then '...'. */
export const quoteInComposer = (message: ChatMessage): string =>
  truncateGraphemes(describeMessage(message), limits.quoteMaxGraphemes);
