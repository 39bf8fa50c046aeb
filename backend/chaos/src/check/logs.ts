import type { Fingerprint } from './fingerprint';

/** Something that was acknowledged in a chat. */
export interface ChatAck {
  seq: number;
  fingerprint: Fingerprint;
  at: number;
}

/** A chat as one of its two participants knows it. Times are of `Date.now()`. */
export interface ChatRecord {
  sessionId: string;
  partnerId: number;
  events: Map<number, Fingerprint>;
  lastSeq: number;
  acks: ChatAck[];
  startedAt: number;
  /** When this side was told that the chat is over. */
  endedAt?: number;
  /** When this side was told to take the chat as it is now. */
  resetAt: number[];
  /** Where a chat that had ended went on: its end was lost with Redis' last second. */
  reopened: { endedAt: number; at: number }[];
  /** The end was told after an absence: what came just before it was never seen. */
  missesTail: boolean;
}

export interface PrivateAck {
  id: number;
  clientId: string;
  senderId: number;
  receiverId: number;
  content: string;
  at: number;
}

/** All that a person has seen. */
export interface PersonLog {
  userId: number;
  chats: Map<string, ChatRecord>;
  privateAcks: PrivateAck[];
  /** Private messages that were pushed: id to content. */
  privateReceived: Map<number, string>;
  /** Addresses of images in messages that were received or acknowledged. */
  images: Set<string>;
  /** Users who became friends, by an answer of the service. */
  friends: Set<number>;
  /** What must not have happened, as it was noticed at once. */
  complaints: { at: number; what: string }[];
}

export const emptyLog = (userId: number): PersonLog => ({
  userId,
  chats: new Map(),
  privateAcks: [],
  privateReceived: new Map(),
  images: new Set(),
  friends: new Set(),
  complaints: [],
});
