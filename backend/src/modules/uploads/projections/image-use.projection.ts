import { imageUrlsOf } from '@thaw/contract/image-markers';
import { messageTypeSchema } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { Projection } from '../../../platform/event-store/projection';
import type { StoredEvent } from '../../../platform/event-store/stored-event';

/** Events with a `content`, its `messageType`, and the `senderId` whose images it may show. */
const messageEvents: readonly string[] = ['MessageSent', 'PrivateMessageSent'];
/** Events with a `userId` and his `avatar`. */
const profileEvents: readonly string[] = ['ProfileChanged'];

/**
 * Which images are in use: what the log shows is kept, and an avatar that was replaced is not. Other modules' events
 * are read by their fields, as far as they are still there: what has expired shows nothing.
 */
export const imageUseProjection: Projection = {
  name: 'image_use',
  // It changes rows, but makes none: a rebuild must not empty the table.
  tables: [],
  handles: [...messageEvents, ...profileEvents],
  concerns: (event) => !messageEvents.includes(event.type) || imagesOf(event).length > 0,
  async apply(events, manager) {
    await useImages(events.filter(({ type }) => messageEvents.includes(type)).flatMap(imagesOf), manager);
    for (const event of events) if (profileEvents.includes(event.type)) await useAvatar(event, manager);
  },
};

interface ShownImage {
  key: string;
  senderId: unknown;
}

const imagesOf = ({ data }: Pick<StoredEvent, 'data'>): ShownImage[] => {
  const { messageType, content, senderId } = data as Record<string, unknown>;
  const parsed = messageTypeSchema.safeParse(messageType);
  if (!parsed.success || typeof content !== 'string') return [];
  const addresses = imageUrlsOf(parsed.data, content).flatMap((url) => parseUploadUrl(url) ?? []);
  return addresses.map(({ key }) => ({ key, senderId }));
};

const useImages = async (images: readonly ShownImage[], manager: EntityManager): Promise<void> => {
  if (images.length === 0) return;
  await manager.query(
    `UPDATE uploads SET unused_since = NULL
     FROM unnest($1::text[], $2::bigint[]) AS shown (key, sender_id)
     WHERE uploads.key = shown.key AND owner_id = sender_id AND unused_since IS NOT NULL`,
    [images.map(({ key }) => key), images.map(({ senderId }) => senderId)],
  );
};

const useAvatar = async ({ data, occurredAt }: StoredEvent, manager: EntityManager): Promise<void> => {
  const { userId, avatar } = data as { userId?: unknown; avatar?: unknown };
  const key = typeof avatar === 'string' ? parseUploadUrl(avatar)?.key : undefined;
  await manager.query(
    `UPDATE uploads SET unused_since = CASE WHEN key = $2 THEN NULL ELSE $3::timestamptz END
     WHERE owner_id = $1 AND bucket = 'avatars' AND (unused_since IS NULL) <> (key = $2)`,
    [userId, key ?? '', occurredAt],
  );
};
