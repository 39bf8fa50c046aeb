import type { Fingerprint } from './fingerprint';

/** An acknowledgement in a chat. */
export interface ChatAck {
  seq: number;
  fingerprint: Fingerprint;
  at: number;
}

/** A chat as one of its participants saw it. Times are `Date.now()`. */
export interface ChatRecord {
  sessionId: string;
  partnerId: number;
  events: Map<number, Fingerprint>;
  lastSeq: number;
  acks: ChatAck[];
  startedAt: number;
  /** When this side received the end of the chat. */
  endedAt?: number;
  /** When this side received a reset: the chat as it is stored now replaces what was seen before. */
  resetAt: number[];
  /** Times at which the chat continued after its end, because the end was lost with the last second of Redis. */
  reopened: { endedAt: number; at: number }[];
}

export interface PrivateAck {
  id: number;
  clientId: string;
  senderId: number;
  receiverId: number;
  content: string;
  at: number;
}

/** Everything that a user has seen. */
export interface UserLog {
  userId: number;
  chats: Map<string, ChatRecord>;
  privateAcks: PrivateAck[];
  /** Private messages that were pushed: content by id. */
  privateReceived: Map<number, string>;
  /** URLs of images in messages that were received or acknowledged. */
  images: Set<string>;
  /** Users who became friends, according to the service. */
  friends: Set<number>;
  /** Violations that the user noticed at once. */
  problems: { at: number; what: string }[];
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
