import { imageUrlsOf } from '@thaw/contract/image-markers';
import { messageTypeSchema } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { Projection } from '../../../platform/event-store/projection';
import type { StoredEvent } from '../../../platform/event-store/stored-event';

/** Events with a `content` and its `messageType`. */
const messageEvents: readonly string[] = ['MessageSent'];
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
  async apply(events, manager) {
    const urls = events.filter(({ type }) => messageEvents.includes(type)).flatMap(imagesOf);
    await useImages(urls, manager);
    for (const event of events) if (profileEvents.includes(event.type)) await useAvatar(event, manager);
  },
};

const imagesOf = ({ data }: StoredEvent): string[] => {
  const { messageType, content } = data as { messageType?: unknown; content?: unknown };
  const parsed = messageTypeSchema.safeParse(messageType);
  return parsed.success && typeof content === 'string' ? imageUrlsOf(parsed.data, content) : [];
};

const useImages = async (urls: readonly string[], manager: EntityManager): Promise<void> => {
  const keys = urls.flatMap((url) => parseUploadUrl(url)?.key ?? []);
  if (keys.length === 0) return;
  await manager.query(
    'UPDATE uploads SET unused_since = NULL WHERE key = ANY($1) AND unused_since IS NOT NULL',
    [keys],
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
