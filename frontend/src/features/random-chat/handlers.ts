import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';

/** The events whose frames `handleRandomChatFrame` handles. */
export const randomChatEvents = [
  'authenticated',
  'queue_joined',
  'queue_left',
  'queue_status',
  'chat_matched',
  'session_advanced',
  'session_resumed',
  'random_message',
  'message_reaction',
  'message_edited',
  'break_ice_question_received',
  'break_ice_partner_responded_waiting',
  'break_ice_partner_answered',
  'break_ice_reveal_results',
  'break_ice_ignored',
  'chat_skipped',
  'block_changed',
  'partner_connection',
  'typing',
] as const satisfies readonly ServerEvent[];

export const handleRandomChatFrame = (frame: ServerFrame): void => randomChat.receive(frame);
