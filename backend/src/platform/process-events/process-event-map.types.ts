import type { HouseRule, Standing } from '@thaw/contract/safety';
import type { Profile } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import type { InboundFrame } from '../realtime/inbound-frame.model';
import type { SocketConnection } from '../realtime/socket-connection.model';

export interface SocketClosure {
  /** Whether the client closed the socket, with a close frame of code 1000 or 1001. */
  isClean: boolean;
  /** Whether the user has no other socket on this replica any more. */
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
 *
 * Two words have a fixed meaning below. "Delivered": the event is passed to `deliver`, so the caller waits for the
 * reactions. "Here": on this replica.
 */
export interface ProcessEventMap {
  /** A socket was registered, and its login was found to be still valid. */
  SocketOpened: { connection: SocketConnection };
  SocketClosed: { connection: SocketConnection; closure: SocketClosure };
  /** A user with a socket here is waiting in the queue; the search may have been started on another replica. */
  SearchStarted: { userId: number };
  /** A chat of a user with a socket here has started, on any replica; their sockets here have to join it. */
  ChatStarted: { userId: number; sessionId: string };
  /** A match was made by this replica, which has to start its chat. Delivered. */
  MatchMade: MatchedPair;
  /**
   * A claim (a match that is not confirmed yet) has expired. If the chat has started, the match is confirmed, otherwise
   * the claim is released. Delivered.
   */
  ClaimExpired: MatchedPair;
  /** A chat has not been checked for some minutes. The reaction frees its users if it is over. Delivered. */
  ChatCheckDue: MatchedPair;
  /** A user is typing to a friend. Delivered; the reaction throws a `DomainError` when the two are not friends. */
  TypedToFriend: { frame: InboundFrame<'typing'>; receiverId: number };
  /** This replica recorded that users came online or went offline, by their sockets on all replicas. Delivered. */
  OnlineChanged: { userIds: readonly number[] };
  /** A user's name or avatar changed. Delivered. */
  ProfileChanged: Profile;
  /**
   * A user has blocked another, or has blocked them again; the block is committed. Delivered: afterwards a chat of the
   * two is over, and none can start.
   */
  UserBlocked: BlockedPair;
  /** A user no longer blocks another; this is committed. The other user may still block them. Delivered. */
  UserUnblocked: BlockedPair;
  /** The list of users with whom `userId` must not be matched has changed. The user has a socket here. */
  ExclusionsChanged: { userId: number };
  /**
   * A user's standing (what moderation allows them to do) may have changed; the change is committed. Occurs on every
   * replica that has a socket of the user. Also delivered in the process that made the change, which may be a worker.
   */
  StandingChanged: { userId: number; standing: Standing };
  /** A user has sent an image that is on the block-list. The image is refused afterwards. Delivered. */
  BlockedImageSent: { userId: number; blockedImageId: number; sha256: string; rule: HouseRule };
  /** A moderator is about to read a profile that only their role lets them see. Delivered: it is recorded first. */
  ProfileReadByModerator: { moderatorId: number; userId: number };
  /** A chat was ended because a user stated an age under 18. Delivered; the worker repeats a failed reaction later. */
  AgeStated: {
    sessionId: string;
    /** Both users of the chat. */
    userIds: readonly number[];
    /** The user who stated their age. */
    userId: number;
    /** The edited message that contains the statement; null if the last message of the chat contains it. */
    messageId: string | null;
    /** Id of the event that ended the chat. */
    endEventId: string;
  };
  /** An append found the outbox of its shard (a part of all chats) empty, so a worker must be woken. */
  OutboxBecameNonEmpty: { shard: number };
  /** The replica has renewed its lease, its proof of life in Redis. About once a second. */
  LeaseRenewed: Record<string, never>;
  /** The lease expired while this process was alive. Other replicas may have evicted this replica's records. */
  LeaseLapsed: Record<string, never>;
  /** The Redis connection for subscriptions was restored; any number of messages may have been missed. */
  SubscriberRestored: Record<string, never>;
}

/**
 * Changes that are about to be committed. Reactions run in order inside the transaction of `manager`; if one throws,
 * the whole transaction is rolled back. To find the reactions, search for `@InTransaction('<name>')`.
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
  /** A user is about to block another, or blocks them again. */
  UserBlocking: BlockedPair & {
    manager: EntityManager;
    /** Runs the work after the commit. If the process dies in between, it is lost: use it for publications only. */
    afterCommit: (work: () => Promise<void>) => void;
  };
}

export type ProcessEventName = keyof ProcessEventMap;
export type TransactionEventName = keyof TransactionEventMap;

/** All names as values, for a check: start-up of an api replica fails if an event has no reaction. */
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
  ProfileReadByModerator: true,
  AgeStated: true,
  OutboxBecameNonEmpty: true,
  LeaseRenewed: true,
  LeaseLapsed: true,
  SubscriberRestored: true,
} satisfies Record<ProcessEventName, true>;

/** As `processEventNames`, for the events of transactions. */
export const transactionEventNames = {
  ProfileChanging: true,
  AccountCreated: true,
  UserBlocking: true,
} satisfies Record<TransactionEventName, true>;
