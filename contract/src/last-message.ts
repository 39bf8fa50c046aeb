import * as z from 'zod/mini';
import { parseImageMarkers } from './image-markers.js';
import { limits } from './limits.js';
import { idSchema, messageTypeSchema, timestampSchema, type MessageType } from './scalars.js';

/** The newest private message between two friends, as the friends list shows it. */
export const lastMessageSchema = z.object({
  senderId: idSchema,
  /** Empty for an image and for a deleted message; the latter has the type text. */
  preview: z.string(),
  type: messageTypeSchema,
  createdAt: timestampSchema,
});
export type LastMessage = z.infer<typeof lastMessageSchema>;

export interface PreviewedMessage {
  senderId: number;
  type: MessageType;
  content: string;
  isDeleted: boolean;
  createdAt: string;
}

const textOf = (type: MessageType, content: string): string => {
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

/** The entry of the friends list for a message: its text cut to `lastMessagePreviewMaxCodePoints`. */
export const toLastMessage = ({
  senderId,
  type,
  content,
  isDeleted,
  createdAt,
}: PreviewedMessage): LastMessage => ({
  senderId,
  preview: isDeleted
    ? ''
    : Array.from(textOf(type, content)).slice(0, limits.lastMessagePreviewMaxCodePoints).join(''),
  type: isDeleted ? 'text' : type,
  createdAt,
});
