import type { Profile } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import type { InboundFrame } from '../realtime/inbound-frame.model';
import type { SocketConnection } from '../realtime/socket-connection.model';

/** How a socket closed: with a close frame of the client's own (1000, 1001), or otherwise. */
export interface SocketClosure {
  isClean: boolean;
  /** Whether the user has no other socket on this replica. */
  wasLastOfUser: boolean;
}

/** Two users who were paired, and the session in which their chat takes place. */
export interface MatchedPair {
  sessionId: string;
  userIds: readonly [number, number];
}

/**
 * Everything that one part of this process tells the others, by name. To see who reacts to an event, search for
 * `@OnProcessEvent('<name>')`.
 */
export interface ProcessEventMap {
  /** A socket is registered, and its login is still valid. */
  SocketOpened: { connection: SocketConnection };
  SocketClosed: { connection: SocketConnection; closure: SocketClosure };
  /** A user with a socket here waits in the queue; the search may have been started on another replica. */
  SearchStarted: { userId: number };
  /** A chat of a user with a socket here has started, on any replica; their sockets here have to join it. */
  ChatStarted: { userId: number; sessionId: string };
  /** A match was made by this replica, which has to start its chat. Delivered. */
  MatchMade: MatchedPair;
  /** A match was not confirmed in time: its chat is announced after all, or the claim is released. Delivered. */
  ClaimExpired: MatchedPair;
  /** Two users have been on record as in a chat for a while; they are freed if it is over. Delivered. */
  ChatCheckDue: MatchedPair;
  /** A user is typing to a friend. Delivered; refused when the two are not friends. */
  TypedToFriend: { frame: InboundFrame<'typing'>; receiverId: number };
  /** Users came online or went offline on all replicas; each change is published by one replica only. Delivered. */
  OnlineChanged: { userIds: readonly number[] };
  /** A user's name or avatar changed. Delivered. */
  ProfileChanged: Profile;
  /** An append found its shard's outbox empty: a worker has to be told. */
  OutboxFilled: { shard: number };
  /** The replica's lease was renewed; about once a second. */
  LeaseRenewed: Record<string, never>;
  /** The lease had expired while this process was alive: what it recorded was swept and must be recorded again. */
  LeaseLapsed: Record<string, never>;
  /** The subscriber was reconnected: any message may have been missed. */
  SubscriberRestored: Record<string, never>;
}

/**
 * What is about to be committed. Reactions run in order inside the transaction `manager`; one that throws refuses the
 * whole. Search for `@InTransaction('<name>')`.
 */
export interface TransactionEventMap {
  /** A user is about to change their name or avatar. */
  ProfileChanging: {
    userId: number;
    avatar: string | null;
    previousAvatar: string | null;
    manager: EntityManager;
  };
}

export type ProcessEventName = keyof ProcessEventMap;
export type TransactionEventName = keyof TransactionEventMap;

/** Every event of the two maps must have a reaction in an api replica; start-up fails otherwise. */
export const processEventNames = {
  SocketOpened: true,
  SocketClosed: true,
  SearchStarted: true,
  ChatStarted: true,
  MatchMade: true,
  ClaimExpired: true,
  ChatCheckDue: true,
  TypedToFriend: true,
  OnlineChanged: true,
  ProfileChanged: true,
  OutboxFilled: true,
  LeaseRenewed: true,
  LeaseLapsed: true,
  SubscriberRestored: true,
} satisfies Record<ProcessEventName, true>;

export const transactionEventNames = { ProfileChanging: true } satisfies Record<TransactionEventName, true>;
