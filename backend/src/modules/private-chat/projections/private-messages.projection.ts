import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { PrivateMessageEvent } from '../domain/private-message.events';

/** The fields that the event store keeps outside the events, so that they can be erased. */
const personalFields: Record<PrivateMessageEvent['type'], readonly string[]> = {
  PrivateMessageSent: ['content', 'clientId'],
  PrivateMessageEdited: ['content'],
  PrivateReactionAdded: [],
  PrivateReactionRemoved: [],
  PrivateMessageDeleted: [],
};

const eventTypes = Object.keys(personalFields) as PrivateMessageEvent['type'][];

export const privateMessageEventTypes: readonly EventTypeDefinition[] = eventTypes.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: personalFields[type],
  // Personal fields belong to the sender. Events of reactions have neither a sender nor personal fields.
  subjectId: ({ senderId }) => (typeof senderId === 'number' ? senderId : null),
}));

/** Builds SQL that inserts sent messages. @param sent a FROM item with the columns of the SELECT. */
export const buildInsertMessagesSql = (sent: string): string => `
  INSERT INTO private_messages (id, sender_id, receiver_id, client_id, type, content, reply_to_id, created_at)
  SELECT id, sender_id, receiver_id, client_id, type, content, reply_to_id, created_at FROM ${sent}`;

const INSERT_MESSAGE_SQL = buildInsertMessagesSql(`(
  VALUES ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::bigint, $8::timestamptz)
) AS sent (id, sender_id, receiver_id, client_id, type, content, reply_to_id, created_at)`);

/** An event of the module `users`. */
type PersonErased = StoredEvent<'PersonErased', { userId: number }>;

type StoredMessageEvent = StoredEvent & PrivateMessageEvent;

/**
 * Marks a user's messages as deleted, and removes the user's reactions. Unlike the deletion of a message, this also
 * removes `client_id`.
 */
const eraseUser = async (userId: number, manager: EntityManager): Promise<void> => {
  await manager.query(
    `UPDATE private_messages SET is_deleted = true, is_edited = false, content = '', reactions = '[]',
       reply_to_id = NULL, client_id = NULL
     WHERE sender_id = $1`,
    [userId],
  );
  // The statement above has removed the reactions to the user's own messages. This one is about those they received.
  await manager.query(
    `UPDATE private_messages SET reactions = (
       SELECT coalesce(jsonb_agg(reaction ORDER BY ordinal), '[]')
       FROM jsonb_array_elements(reactions) WITH ORDINALITY AS elements(reaction, ordinal)
       WHERE (reaction->>'userId')::bigint <> $1
     ) WHERE receiver_id = $1 AND NOT is_deleted AND reactions <> '[]'`,
    [userId],
  );
};

const applyEvent = async (event: StoredMessageEvent, manager: EntityManager): Promise<void> => {
  const { messageId } = event.data;
  switch (event.type) {
    case 'PrivateMessageSent': {
      // The defaults replace personal fields that were erased.
      const { senderId, receiverId, clientId = null, messageType, content = '', replyToId } = event.data;
      await manager.query(INSERT_MESSAGE_SQL, [
        messageId,
        senderId,
        receiverId,
        clientId,
        messageType,
        content,
        replyToId,
        event.occurredAt,
      ]);
      return;
    }
    case 'PrivateMessageEdited':
      await manager.query('UPDATE private_messages SET content = $2, is_edited = true WHERE id = $1', [
        messageId,
        event.data.content ?? '',
      ]);
      return;
    case 'PrivateReactionAdded': {
      const { emoji, userId } = event.data;
      await manager.query('UPDATE private_messages SET reactions = reactions || $2::jsonb WHERE id = $1', [
        messageId,
        JSON.stringify([{ emoji, userId }]),
      ]);
      return;
    }
    case 'PrivateReactionRemoved': {
      const { emoji, userId } = event.data;
      await manager.query(
        `UPDATE private_messages SET reactions = (
           SELECT coalesce(jsonb_agg(reaction ORDER BY ordinal), '[]')
           FROM jsonb_array_elements(reactions) WITH ORDINALITY AS elements(reaction, ordinal)
           WHERE reaction <> $2::jsonb
         ) WHERE id = $1`,
        [messageId, JSON.stringify({ emoji, userId })],
      );
      return;
    }
    case 'PrivateMessageDeleted':
      // `client_id` is kept, so that a late retry does not send the deleted message again.
      await manager.query(
        `UPDATE private_messages SET is_deleted = true, is_edited = false, content = '', reactions = '[]', reply_to_id = NULL
         WHERE id = $1`,
        [messageId],
      );
      return;
    default:
      return event satisfies never;
  }
};

export const privateMessagesProjection: Projection = {
  name: 'private_messages',
  tables: ['private_messages'],
  handles: [...eventTypes, 'PersonErased'],
  async apply(events, manager) {
    for (const event of events) {
      if (event.type === 'PersonErased') await eraseUser((event as PersonErased).data.userId, manager);
      else await applyEvent(event as StoredMessageEvent, manager);
    }
  },
};
