import { listImageUrls } from '@thaw/contract/image-markers';
import { messageTypeSchema } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';

/**
 * Events with `content`, `messageType`, `senderId` (the owner of the images that it may show) and, optionally,
 * `receiverId`.
 */
export const messageEvents: readonly string[] = ['MessageSent', 'PrivateMessageSent'];

export interface ShownImage {
  key: string;
  streamId: string;
  eventId: string;
  senderId: number;
  /** null when the event does not name a receiver. */
  receiverId: number | null;
}

/**
 * The images that an event shows. Events of other modules are read by field name; missing fields are tolerated, since
 * the content of an expired message is absent.
 */
export const listShownImages = ({
  streamId,
  eventId,
  type,
  data,
}: Pick<StoredEvent, 'streamId' | 'eventId' | 'type' | 'data'>): ShownImage[] => {
  if (!messageEvents.includes(type)) return [];
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
