import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';

/** The frames that this feature handles. */
export const privateChatEvents = [
  'private_message',
  'private_message_edited',
  'private_message_reaction',
  'private_message_deleted',
  'private_messages_read',
  'typing',
  'friendship_removed',
  'block_changed',
] as const satisfies readonly ServerEvent[];

export const handlePrivateChatFrame = (frame: ServerFrame): void => privateChats.receive(frame);
