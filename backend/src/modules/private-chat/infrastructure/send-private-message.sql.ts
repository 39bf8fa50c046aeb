import type { PreparedStatement } from '../../../platform/database/prepared-statement.functions';
import { buildOpenStreamSql } from '../../../platform/event-store/open.sql';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { buildInsertMessagesSql } from '../projections/private-messages.projection';

// The parameters of both parts are $9 sender, $10 receiver, $11 client id, $12 id of the quoted message, $13 type and
// $14 content. $1 to $8 are the parameters of the event, which the event store binds.

/**
 * Assigns the id and the time of the message. Locks the friendship of the two, so that messages of a conversation are
 * committed in the order of their ids; gives no row if they are not friends.
 *
 * `stored_message` is this message if an earlier attempt has stored it, `quoted` the message to which it replies. The
 * message `is_new` unless it is already stored, or is a reply whose quoted message was not found.
 *
 * The time is truncated to milliseconds, the precision of events, so that a rebuild of the read model gives the same
 * rows.
 */
const ASSIGN_MESSAGE_SQL = `
  SELECT message.*, 'private-' || id AS stream_id, jsonb_build_object('messageId', id) AS assigned,
         stored_id IS NULL AND ($12::bigint IS NULL OR quoted_id IS NOT NULL) AS is_new
  FROM (
    SELECT nextval('private_message_ids') AS id, date_trunc('milliseconds', clock_timestamp()) AS occurred_at,
           stored_message.id AS stored_id, stored_message.receiver_id AS stored_receiver_id,
           stored_message.created_at AS stored_at,
           quoted.id AS quoted_id, quoted.sender_id AS quoted_sender_id, quoted.type AS quoted_type,
           quoted.content AS quoted_content
    FROM ${FriendshipLookupService.buildLockedFriendshipSql('$9::bigint', '$10::bigint')} AS friendship
    LEFT JOIN private_messages stored_message
      ON stored_message.sender_id = $9::bigint AND stored_message.client_id = $11::text
    LEFT JOIN private_messages quoted ON quoted.id = $12::bigint AND NOT quoted.is_deleted
      AND LEAST(quoted.sender_id, quoted.receiver_id) = friendship.low_id
      AND GREATEST(quoted.sender_id, quoted.receiver_id) = friendship.high_id
  ) AS message`;

/** Inserts the row of a new message. `opening` is the row of `ASSIGN_MESSAGE_SQL`. */
const INSERT_NEW_MESSAGE_SQL = buildInsertMessagesSql(`(
    SELECT id, $9::bigint AS sender_id, $10::bigint AS receiver_id, $11::text AS client_id, $13::text AS type,
           $14::text AS content, $12::bigint AS reply_to_id, occurred_at AS created_at
    FROM opening WHERE is_new
  ) AS sent`);

/** Appends the event that creates a message, and inserts the row of the message. */
export const SEND_STATEMENT: PreparedStatement = {
  name: 'send_private_message',
  text: buildOpenStreamSql({ query: ASSIGN_MESSAGE_SQL, project: INSERT_NEW_MESSAGE_SQL }),
};
