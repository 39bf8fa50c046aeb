import { listImageUrls } from '@thaw/contract/image-markers';
import { messageTypeSchema } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';

/**
 * Types of the events that may show images. Their data has the fields `content`, `messageType`, `senderId` and,
 * optionally, `receiverId`.
 */
export const messageEventTypes: readonly string[] = ['MessageSent', 'PrivateMessageSent'];

/** An image, and the message that shows it. */
export interface ShownImage {
  /** Key of the image in the storage. */
  key: string;
  streamId: string;
  eventId: string;
  /** The content may name an image that the sender does not own. `recordImageUses` ignores such an image. */
  senderId: number;
  /** null when the event names no receiver, as in a random chat. */
  receiverId: number | null;
}

/**
 * Lists the images that an event shows, each once. The events belong to other modules, so their fields are read by name
 * without a type. Missing fields are tolerated, because an expired message has no content.
 */
export const listShownImages = ({
  streamId,
  eventId,
  type,
  data,
}: Pick<StoredEvent, 'streamId' | 'eventId' | 'type' | 'data'>): ShownImage[] => {
  if (!messageEventTypes.includes(type)) return [];
  const { messageType, content, senderId, receiverId } = data as Record<string, unknown>;
  const parsed = messageTypeSchema.safeParse(messageType);
  if (!parsed.success || typeof content !== 'string' || typeof senderId !== 'number') return [];
  const keys = listImageUrls(parsed.data, content).flatMap((url) => parseUploadUrl(url)?.key ?? []);
  return [...new Set(keys)].map((key) => ({
    key,
    streamId,
    eventId,
    senderId,
    receiverId: typeof receiverId === 'number' ? receiverId : null,
  }));
};
