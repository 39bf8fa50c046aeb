import { imageUrlsOf } from '@thaw/contract/image-markers';
import { messageTypeSchema } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';

/** Events with a `content`, its `messageType`, the `senderId` whose images it may show, and perhaps a `receiverId`. */
export const messageEvents: readonly string[] = ['MessageSent', 'PrivateMessageSent'];

/** An image in a message. */
export interface ShownImage {
  key: string;
  streamId: string;
  eventId: string;
  senderId: number;
  /** null where the message itself does not say who receives it. */
  receiverId: number | null;
}

/**
 * The images that an event shows. Events of other modules are read by their fields, as far as they are still there: a
 * message whose content has expired shows nothing.
 */
export const shownImagesOf = ({
  streamId,
  eventId,
  type,
  data,
}: Pick<StoredEvent, 'streamId' | 'eventId' | 'type' | 'data'>): ShownImage[] => {
  if (!messageEvents.includes(type)) return [];
  const { messageType, content, senderId, receiverId } = data as Record<string, unknown>;
  const parsed = messageTypeSchema.safeParse(messageType);
  if (!parsed.success || typeof content !== 'string' || typeof senderId !== 'number') return [];
  const keys = imageUrlsOf(parsed.data, content).flatMap((url) => parseUploadUrl(url)?.key ?? []);
  return [...new Set(keys)].map((key) => ({
    key,
    streamId,
    eventId,
    senderId,
    receiverId: typeof receiverId === 'number' ? receiverId : null,
  }));
};
