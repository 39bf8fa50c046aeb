import type { HouseRule, Standing } from '@thaw/contract/safety';
import type { Profile } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import type { InboundFrame } from '../realtime/inbound-frame.model';
import type { SocketConnection } from '../realtime/socket-connection.model';

/** How a socket closed: cleanly, with a close frame of the client (1000, 1001), or otherwise. */
export interface SocketClosure {
  isClean: boolean;
  /** Whether the user has no other socket on this replica. */
  wasLastOfUser: boolean;
}

/** Two matched users and the session of their chat. */
export interface MatchedPair {
  sessionId: string;
  userIds: readonly [number, number];
}

/** The browser of a request, recognised by its device cookie. */
export interface Device {
  /** Hash of the browser's device id. */
  hash: string;
  /** Whether the browser got its id with this request, so that no account can have been used in it before. */
  isNew: boolean;
}

/** A user, and the user whom they block. */
export interface BlockedPair {
  blockerId: number;
  blockedId: number;
}

/**
 * The events inside one process, by name. To find the reactions to an event, search for `@OnProcessEvent('<name>')`.
 * "Delivered" marks events that are published with `deliver`, whose publisher waits for the reactions.
 */
export interface ProcessEventMap {
  /** A socket is registered, and its login is still valid. */
  SocketOpened: { connection: SocketConnection };
  SocketClosed: { connection: SocketConnection; closure: SocketClosure };
  /** A user with a socket here is waiting in the queue; the search may have been started on another replica. */
  SearchStarted: { userId: number };
  /** A chat of a user with a socket here has started, on any replica; their sockets here have to join it. */
  ChatStarted: { userId: number; sessionId: string };
  /** A match was made by this replica, which has to start its chat. Delivered. */
  MatchMade: MatchedPair;
  /** A match was not confirmed in time: its chat is announced after all, or the claim is released. Delivered. */
  ClaimExpired: MatchedPair;
  /** Two users have been recorded as chatting for a while; they are freed if the chat is over. Delivered. */
  ChatCheckDue: MatchedPair;
  /** A user is typing to a friend. Delivered; refused when the two are not friends. */
  TypedToFriend: { frame: InboundFrame<'typing'>; receiverId: number };
  /** Users came online or went offline on all replicas; each change is published by one replica only. Delivered. */
  OnlineChanged: { userIds: readonly number[] };
  /** A user's name or avatar changed. Delivered. */
  ProfileChanged: Profile;
  /**
   * A user has blocked another; committed. Runs again for a block that exists already. Delivered: a chat of the two is
   * over, and none can start.
   */
  UserBlocked: BlockedPair;
  /** A user no longer blocks another; committed. The other may still block the user. Delivered. */
  UserUnblocked: BlockedPair;
  /** The users with whom a user with a socket here must not be matched have changed. */
  ExclusionsChanged: { userId: number };
  /**
   * A user's standing may have changed; committed. Delivered in the process that announces it, which may be a worker
   * and need not have a socket of the user, and published in every replica that has one.
   */
  StandingChanged: { userId: number; standing: Standing };
  /** A user has sent an image that is on the block-list; it is refused after this. Delivered. */
  BlockedImageSent: { userId: number; blockedImageId: number; sha256: string; rule: HouseRule };
  /** A moderator is about to read the profile of a user whom they do not know. Delivered; it is recorded first. */
  ProfileReadByModerator: { moderatorId: number; userId: number };
  /**
   * A user has stated in a chat that they are under 18, which ended it. `messageId`: the edited message; null for the
   * last message of the chat. Delivered; the worker makes up for a reaction that failed.
   */
  AgeStated: {
    sessionId: string;
    userIds: readonly number[];
    userId: number;
    messageId: string | null;
    /** Id of the event that ended the chat. */
    endEventId: string;
  };
  /** An append found its shard's outbox empty, so a worker must be woken. */
  OutboxFilled: { shard: number };
  /** The replica's lease was renewed; about once a second. */
  LeaseRenewed: Record<string, never>;
  /** The lease expired while this process was alive: its records may have been evicted and must be restored. */
  LeaseLapsed: Record<string, never>;
  /** The subscriber has reconnected; any number of messages may have been missed. */
  SubscriberRestored: Record<string, never>;
}

/**
 * Changes that are about to be committed. Reactions run in order inside the transaction of `manager`; if one throws,
 * the whole transaction is refused. To find them, search for `@InTransaction('<name>')`.
 */
export interface TransactionEventMap {
  /** A user is about to change their name or avatar. */
  ProfileChanging: {
    userId: number;
    avatar: string | null;
    previousAvatar: string | null;
    manager: EntityManager;
  };
  /** An account was created in this transaction. `email`: null for anonymous users. */
  AccountCreated: {
    userId: number;
    email: string | null;
    device: Device;
    manager: EntityManager;
  };
  /** A user is about to block another, or has done so already. */
  UserBlocking: BlockedPair & {
    manager: EntityManager;
    /** Runs the work after the commit; best effort, so only for publications. */
    afterCommit: (work: () => Promise<void>) => void;
  };
}

export type ProcessEventName = keyof ProcessEventMap;
export type TransactionEventName = keyof TransactionEventMap;

/** All events of the two maps. In an api replica each needs a reaction, otherwise start-up fails. */
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
  UserBlocked: true,
  UserUnblocked: true,
  ExclusionsChanged: true,
  StandingChanged: true,
  BlockedImageSent: true,
  AgeStated: true,
  ProfileReadByModerator: true,
  OutboxFilled: true,
  LeaseRenewed: true,
  LeaseLapsed: true,
  SubscriberRestored: true,
} satisfies Record<ProcessEventName, true>;

export const transactionEventNames = {
  ProfileChanging: true,
  AccountCreated: true,
  UserBlocking: true,
} satisfies Record<TransactionEventName, true>;
