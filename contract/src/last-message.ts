import * as z from 'zod/mini';
import { parseImageMarkers } from './image-markers.js';
import { limits } from './limits.js';
import { idSchema, messageTypeSchema, timestampSchema, type MessageType } from './scalars.js';

/** The newest private message between two friends, for the friends list. */
export const lastMessageSchema = z.object({
  senderId: idSchema,
  /** Empty for an image and for a deleted message; a deleted message has the type text. */
  preview: z.string(),
  type: messageTypeSchema,
  createdAt: timestampSchema,
});
export type LastMessage = z.infer<typeof lastMessageSchema>;

/** The fields of a private message from which `toLastMessage` makes its summary. */
export interface PreviewedMessage {
  senderId: number;
  type: MessageType;
  content: string;
  isDeleted: boolean;
  createdAt: string;
}

const extractText = (type: MessageType, content: string): string => {
  switch (type) {
    case 'text':
      return content;
    case 'image':
      return '';
    case 'mixed':
      return parseImageMarkers(content).text;
    default:
      return type satisfies never;
  }
};

/**
 * Summarises a private message for the friends list. A deleted message reveals neither its content nor its type.
 * @returns the summary, its text cut to `limits.lastMessagePreviewMaxCodePoints`
 */
export const toLastMessage = ({
  senderId,
  type,
  content,
  isDeleted,
  createdAt,
}: PreviewedMessage): LastMessage => {
  if (isDeleted) return { senderId, preview: '', type: 'text', createdAt };
  const codePoints = Array.from(extractText(type, content));
  const preview = codePoints.slice(0, limits.lastMessagePreviewMaxCodePoints).join('');
  return { senderId, preview, type, createdAt };
};
