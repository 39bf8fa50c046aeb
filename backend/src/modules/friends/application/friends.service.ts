import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { FriendRequest } from '@thaw/contract/friends';
import { limits } from '@thaw/contract/limits';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import type { Friend, Profile, PublicUser } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { throwUnavailableOnConflict } from '../../../platform/event-store/version-conflict.functions';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { InTransaction, OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { OnlineUsersService } from '../../../platform/realtime/online-users.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { LastMessageService } from '../../private-chat/application/last-message.service';
import { PastPartnersService } from '../../random-chat/application/past-partners.service';
import { UsersService } from '../../users/application/users.service';
import type { FriendshipCommand, SendFriendRequest } from '../domain/friendship.commands';
import { friendshipDecider } from '../domain/friendship.decider';
import { type FriendshipEvent, buildFriendshipStreamId } from '../domain/friendship.events';
import type { FriendshipState, FriendRequestState } from '../domain/friendship.state';
import { FriendRepository } from '../infrastructure/friend.repository';

/**
 * A command without the fields that `execute` adds. The conditional type applies `Omit` to each command separately;
 * `Omit` of the union would keep only the fields that all commands share.
 */
type FriendshipInput<Command extends FriendshipCommand = FriendshipCommand> =
  Command extends FriendshipCommand ? Omit<Command, 'eventId' | 'at'> : never;

/** Result of a command. A command causes at most one event. */
interface FriendshipChange {
  state: FriendshipState;
  event: FriendshipEvent | undefined;
}

export interface SendRequestResult {
  request: FriendRequest;
  /** Whether this call created the request. */
  isNew: boolean;
}

/** Friend requests and friendships: their commands, lists and frames. */
@Injectable()
export class FriendsService {
  private readonly logger = new Logger(FriendsService.name);

  constructor(
    private readonly friends: FriendRepository,
    private readonly executor: CommandExecutorService,
    private readonly users: UsersService,
    private readonly pastPartners: PastPartnersService,
    private readonly lastMessages: LastMessageService,
    private readonly online: OnlineUsersService,
    private readonly userPublisher: UserPublisherService,
    private readonly limiter: RateLimiterService,
    private readonly blockList: BlockListService,
  ) {}

  async listFriends(userId: number): Promise<Friend[]> {
    const friendIds = await this.friends.findFriendIds(userId);
    const [friends, lastMessages] = await Promise.all([
      this.users.findProfiles(friendIds).then((profiles) => this.addPresence(profiles)),
      this.lastMessages.findLastMessages(userId, friendIds),
    ]);
    return friends.map((friend) => ({ ...friend, lastMessage: lastMessages.get(friend.id) ?? null }));
  }

  async listPendingRequests(userId: number): Promise<FriendRequest[]> {
    return (await this.friends.findPendingRequests(userId)).map(({ id, ...row }) =>
      toFriendRequest({ ...row, requestId: id }),
    );
  }

  /**
   * Sends a friend request. If the addressee has already sent one to the requester, the two become friends.
   * @throws DomainError not_found when the two are the same user or one does not exist, when they have not chatted
   * recently or their chat was ended for safety, or when one has blocked the other; already_friends; rate_limited;
   * unavailable
   */
  async sendRequest(requesterId: number, addresseeId: number): Promise<SendRequestResult> {
    await this.limiter.require('friend_requests', requesterId);
    const requestId = await this.friends.allocateRequestId();
    const change = await this.runAndPublish(() =>
      this.executor.runInTransaction((manager) =>
        this.sendInTransaction(manager, { requestId, requesterId, addresseeId }),
      ),
    );
    const isNew = change.event?.type === 'FriendRequestSent';
    // A repeated request, and one that accepts the request of the other user, are not counted.
    if (!isNew) await this.limiter.refund('friend_requests', requesterId);
    return { request: toFriendRequest(findSentRequest(change)), isNew };
  }

  /** @throws DomainError not_found, already_answered, unavailable */
  async answerRequest(
    userId: number,
    requestId: number,
    answer: 'accepted' | 'declined',
  ): Promise<FriendRequest> {
    const request = await this.friends.findRequest(requestId);
    if (request?.addresseeId !== userId) throw new DomainError('not_found');
    const input = { type: 'AnswerFriendRequest', requestId, userId, answer } as const;
    const { state } = await this.runAndPublish(() => this.execute(userId, request.requesterId, input));
    return toFriendRequest(requireRequest(state, requestId));
  }

  /** @throws DomainError not_found when they are not friends; unavailable */
  async removeFriend(userId: number, friendId: number): Promise<void> {
    const input = { type: 'RemoveFriend', userId, friendId } as const;
    await this.runAndPublish(() => this.execute(userId, friendId, input));
  }

  /** Ends the friendship or the pending request of two users of whom one is about to block the other. */
  @InTransaction('UserBlocking')
  async endRelationOnBlock({
    blockerId,
    blockedId,
    manager,
    afterCommit,
  }: TransactionEventMap['UserBlocking']): Promise<void> {
    const input = { type: 'SeparateUsers', userId: blockerId, otherId: blockedId } as const;
    const change = await this.execute(blockerId, blockedId, input, manager);
    afterCommit(() => this.publishBestEffort(change));
  }

  /** Publishes the changed profile to the user's friends and to the user's own pages. */
  @OnProcessEvent('ProfileChanged')
  async publishProfile(user: Profile): Promise<void> {
    try {
      await this.publish([user.id, ...(await this.friends.findFriendIds(user.id))], 'profile_updated', {
        user,
      });
    } catch (error) {
      logWarning(this.logger, 'A change of a profile was not published', error);
    }
  }

  /**
   * Executes a command on the stream of two users. If a concurrent block ends their friendship or pending request, it
   * appends to the same stream, so the executor detects a version conflict.
   * @param manager the transaction to run in; without it, the command has its own
   */
  private async execute(
    userId: number,
    otherId: number,
    input: FriendshipInput,
    manager?: EntityManager,
  ): Promise<FriendshipChange> {
    const command = { ...input, eventId: randomUUID(), at: new Date() } as FriendshipCommand;
    const { state, events } = await this.executor.execute(
      buildFriendshipStreamId(userId, otherId),
      friendshipDecider,
      command,
      manager,
    );
    // The type of `events` covers the events of all modules.
    const [event] = events as unknown as FriendshipEvent[];
    return { state, event };
  }

  /**
   * Also checks and locks the blocks and the users, in the same transaction: a block of two users without a relation
   * does not change their stream, so `execute` would not detect it.
   */
  private async sendInTransaction(
    manager: EntityManager,
    ids: Pick<SendFriendRequest, 'requestId' | 'requesterId' | 'addresseeId'>,
  ): Promise<FriendshipChange> {
    const { requesterId, addresseeId } = ids;
    if (await this.blockList.isBlockedEitherWayUntilCommit(requesterId, addresseeId, manager))
      throw new DomainError('not_found');
    if (!(await this.users.lockAndCheckExistence([requesterId, addresseeId], manager)))
      throw new DomainError('not_found');
    const since = new Date(Date.now() - limits.friendRequestWindowMs);
    // Whether they have chatted since then, and none of their chats was ended for safety.
    const mayBecomeFriends = await this.pastPartners.mayBecomeFriends(
      requesterId,
      addresseeId,
      since,
      manager,
    );
    const input = { type: 'SendFriendRequest', ...ids, mayBecomeFriends } as const;
    return this.execute(requesterId, addresseeId, input, manager);
  }

  /** @throws DomainError unavailable when other commands changed the stream on every attempt */
  private async runAndPublish(runCommand: () => Promise<FriendshipChange>): Promise<FriendshipChange> {
    const change = await throwUnavailableOnConflict(runCommand);
    await this.publishBestEffort(change);
    return change;
  }

  /** Never throws: frames are sent with best effort, and a client that misses one reads the lists later. */
  private async publishBestEffort({ event, state }: FriendshipChange): Promise<void> {
    try {
      if (event) await this.publishEvent(event, state);
    } catch (error) {
      logWarning(this.logger, 'A change of a friendship was not published', error);
    }
  }

  private async publishEvent(event: FriendshipEvent, state: FriendshipState): Promise<void> {
    switch (event.type) {
      case 'FriendRequestSent': {
        const { requestId: id, requesterId, addresseeId, isHidden } = event.data;
        // The addressee never sees a hidden request, which was sent soon after a decline.
        const requester = isHidden ? null : await this.users.findProfile(requesterId);
        if (!requester) return;
        const { createdAt } = toFriendRequest(requireRequest(state, id));
        await this.publish([addresseeId], 'friend_request', { id, requesterId, requester, createdAt });
        return;
      }
      case 'FriendRequestAccepted': {
        const { requestId, requesterId, addresseeId } = event.data;
        const friends = await this.addPresence(await this.users.findProfiles([requesterId, addresseeId]));
        for (const friend of friends) {
          const otherId = friend.id === requesterId ? addresseeId : requesterId;
          await this.publish([otherId], 'friendship_accepted', { requestId, friend });
        }
        return;
      }
      case 'FriendRequestDeclined': // The requester is not notified of a decline.
      case 'FriendRequestVoided': // For example after a block, which the blocked user must not notice.
        return;
      case 'FriendshipRemoved': {
        const { removedBy, removedFriendId } = event.data;
        await this.publish([removedBy, removedFriendId], 'friendship_removed', event.data);
        return;
      }
      default:
        return event satisfies never;
    }
  }

  private async publish<E extends ServerEvent>(
    userIds: readonly number[],
    event: E,
    data: ServerData<E>,
  ): Promise<void> {
    await Promise.all(userIds.map((userId) => this.userPublisher.sendFrame(userId, event, data)));
  }

  private async addPresence(profiles: readonly Profile[]): Promise<PublicUser[]> {
    const online = await this.online.findOnlineAmong(profiles.map(({ id }) => id));
    return profiles.map((profile) => ({ ...profile, isOnline: online.has(profile.id) }));
  }
}

const requireRequest = (state: FriendshipState, requestId: number): FriendRequestState => {
  const request = state.requests.get(requestId);
  if (!request) throw new Error(`Friend request ${requestId} is not in its stream`);
  return request;
};

/**
 * The request between two users after one of them has sent a request: the new one, an earlier one that it repeats, or
 * the other user's request, which it accepts.
 */
const findSentRequest = ({ state, event }: FriendshipChange): FriendRequestState => {
  if (event?.type === 'FriendRequestAccepted') return requireRequest(state, event.data.requestId);
  if (!state.pendingRequest) throw new Error('A friend request was neither created nor found');
  return state.pendingRequest;
};

/** Converts the state or the row of a request to the form that clients receive. */
const toFriendRequest = ({
  requestId,
  requesterId,
  addresseeId,
  status,
  createdAt,
}: Omit<FriendRequestState, 'isHidden'>): FriendRequest => ({
  id: requestId,
  requesterId,
  addresseeId,
  status,
  createdAt: createdAt.toISOString(),
});
