import { parseUploadUrl } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import { messageEventTypes, type ShownImage, listShownImages } from '../application/shown-image.mapper';

/** Type of the event that has the fields `userId` and `avatar`. */
const profileEventType = 'ProfileChanged';

/** Records which images are in use, and by which messages. A replaced avatar is no longer in use. */
export const imageUseProjection: Projection = {
  name: 'image_use',
  // Empty, so that a rebuild leaves `uploads` and `upload_uses` unchanged: other code also writes these tables, and a
  // rebuild would mark images as in use whose messages have been deleted.
  tables: [],
  handles: [...messageEventTypes, profileEventType],
  concerns: (event) => event.type === profileEventType || showsImages(event),
  async apply(events, manager) {
    await recordImageUses(events.flatMap(listShownImages), manager);
    for (const event of events) if (event.type === profileEventType) await recordAvatarUse(event, manager);
  },
};

const showsImages = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): boolean => {
  const unusedIds = { streamId: '', eventId: '' };
  return listShownImages({ ...unusedIds, type, data }).length > 0;
};

/** Ignores images that the sender of the message does not own. */
const recordImageUses = async (images: readonly ShownImage[], manager: EntityManager): Promise<void> => {
  if (images.length === 0) return;
  const parameters = [
    images.map(({ key }) => key),
    images.map(({ streamId }) => streamId),
    images.map(({ eventId }) => eventId),
    images.map(({ senderId }) => senderId),
    images.map(({ receiverId }) => receiverId),
  ];
  await manager.query(
    `WITH shown AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::bigint[])
         AS image (key, stream_id, event_id, sender_id, receiver_id)
     ), marked_as_used AS (
       UPDATE uploads SET unused_since = NULL FROM shown
       WHERE uploads.key = shown.key AND owner_id = sender_id AND unused_since IS NOT NULL
     )
     INSERT INTO upload_uses (key, stream_id, event_id, viewer_id)
     SELECT shown.key, stream_id, event_id, receiver_id
     FROM shown JOIN uploads ON uploads.key = shown.key AND owner_id = sender_id
     ON CONFLICT DO NOTHING`,
    parameters,
  );
};

/** Marks the avatar of a profile as used, and the user's other avatars as unused. */
const recordAvatarUse = async ({ data, occurredAt }: StoredEvent, manager: EntityManager): Promise<void> => {
  const { userId, avatar } = data as { userId?: unknown; avatar?: unknown };
  const key = typeof avatar === 'string' ? parseUploadUrl(avatar)?.key : undefined;
  // The last condition leaves out the avatars that have the right mark already. Without an uploaded avatar, the key is
  // empty and matches no image.
  await manager.query(
    `UPDATE uploads SET unused_since = CASE WHEN key = $2 THEN NULL ELSE $3::timestamptz END
     WHERE owner_id = $1 AND bucket = 'avatars'
       AND CASE WHEN key = $2 THEN unused_since IS NOT NULL ELSE unused_since IS NULL END`,
    [userId, key ?? '', occurredAt],
  );
};
