import type { Fingerprint } from './fingerprint';

// All times are in ms since the epoch.

/** The acknowledgement of an event that the user has sent in a chat. */
export interface ChatAck {
  /** Position of the event in the chat, from 1. */
  seq: number;
  fingerprint: Fingerprint;
  ackedAt: number;
}

/** A chat as one of its participants has seen it. */
export interface ChatRecord {
  sessionId: string;
  partnerId: number;
  /** The events that the participant has received, or sent and got an ack for, by seq. */
  events: Map<number, Fingerprint>;
  lastSeq: number;
  acks: ChatAck[];
  startedAt: number;
  /** When the participant received the end of the chat. */
  endedAt?: number;
  /** When the participant received resets. After a reset, the service sends all events of the chat again. */
  resetTimes: number[];
  /** Each time the chat continued after its end, which a crash of Redis can lose with its last second of data. */
  reopenings: { endedAt: number; reopenedAt: number }[];
}

/** The acknowledgement of a private message that the user has sent. */
export interface PrivateAck {
  id: number;
  clientId: string;
  senderId: number;
  receiverId: number;
  content: string;
  ackedAt: number;
}

/** Everything that a user has seen. */
export interface UserLog {
  userId: number;
  chats: Map<string, ChatRecord>;
  privateAcks: PrivateAck[];
  /** Contents of the private messages received as WebSocket frames, by id. */
  privateReceived: Map<number, string>;
  /** URLs of images in messages that were received or acknowledged. */
  images: Set<string>;
  /** Ids of the users who became friends, according to the service. */
  friends: Set<number>;
  /** Violations of the checked rules that the user noticed while they happened. */
  problems: { noticedAt: number; description: string }[];
}

export const createUserLog = (userId: number): UserLog => ({
  userId,
  chats: new Map(),
  privateAcks: [],
  privateReceived: new Map(),
  images: new Set(),
  friends: new Set(),
  problems: [],
});
