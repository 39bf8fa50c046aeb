import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { formatQuote } from '@thaw/contract/message-content';
import type { PrivateMessage } from '@thaw/contract/private-chat';
import type { MessageType } from '@thaw/contract/scalars';
import type { Profile } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import { findViolatedUniqueConstraint } from '../../../platform/database/constraint-violation.errors';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { throwUnavailableOnConflict } from '../../../platform/event-store/version-conflict.functions';
import { PersonalDataRepository } from '../../../platform/event-store/personal-data.repository';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { UploadsService } from '../../uploads/application/uploads.service';
import { UsersService } from '../../users/application/users.service';
import type { PrivateMessageCommand } from '../domain/private-message.commands';
import { privateMessageDecider } from '../domain/private-message.decider';
import { type PrivateMessageSent, buildPrivateMessageStreamId } from '../domain/private-message.events';
import type { PrivateMessageState, SentMessage } from '../domain/private-message.state';
import {
  PrivateMessageRepository,
  type PrivateMessageRow,
  type QuotedRow,
  type StoredMessage,
} from '../infrastructure/private-message.repository';
import { RecentChangeRepository } from '../infrastructure/recent-change.repository';

export interface OutgoingMessage {
  senderId: number;
  receiverId: number;
  messageType: MessageType;
  content: string;
  replyToId: number | null;
  /** Id that the client has chosen for the message, and repeats when it retries; null if it cannot retry. */
  clientId: string | null;
}

export interface SendResult {
  id: number;
  createdAt: Date;
  /** Null if an earlier attempt has already sent the message. */
  message: PrivateMessage | null;
}

/** A message after a change command, which may have changed nothing. */
export interface ChangeResult {
  message: SentMessage;
  isChanged: boolean;
}

type ChangeCommand = Exclude<PrivateMessageCommand, { type: 'SendPrivateMessage' }>;
/**
 * A command without the fields that the service adds. The conditional type applies `Omit` to each command separately;
 * `Omit` of the union would keep only the fields that all commands share.
 */
type ChangeInput<Command extends ChangeCommand = ChangeCommand> = Command extends ChangeCommand
  ? Omit<Command, 'eventId' | 'at'>
  : never;

interface ExecutedChange {
  state: PrivateMessageState;
  events: unknown[];
}

/** Allows each sender to use a `clientId` once. */
const CLIENT_ID_CONSTRAINT = 'private_messages_client_key';

/** Sends, changes and loads private messages between friends. */
@Injectable()
export class PrivateChatService {
  constructor(
    private readonly messages: PrivateMessageRepository,
    private readonly changes: RecentChangeRepository,
    private readonly friendships: FriendshipLookupService,
    private readonly executor: CommandExecutorService,
    private readonly personalData: PersonalDataRepository,
    private readonly users: UsersService,
    private readonly uploads: UploadsService,
  ) {}

  /**
   * Resolves once the message is committed. A call with the `clientId` of a message that is already stored stores
   * nothing, and returns the id and the time of the stored message.
   * @throws DomainError not_friends; message_not_found if the quoted message cannot be quoted; invalid_payload for
   * invalid content, or if the sender has used the `clientId` for a message to another receiver; message_too_long;
   * image_not_yours
   */
  async send(outgoing: OutgoingMessage): Promise<SendResult> {
    const { senderId, receiverId, messageType, content, replyToId } = outgoing;
    // The statement that stores the message checks the friendship and the quote. With images, they are also checked
    // before `share`: a refused message must not give the receiver access to its images.
    const hasImages = messageType !== 'text';
    if (hasImages) await this.requireFriends(senderId, receiverId);
    const event = createSentEvent(outgoing);
    if (hasImages && !(await this.mayQuote(outgoing))) {
      // An earlier attempt may have stored this message before the quoted message was deleted.
      const earlierResult = await this.findEarlierResult(outgoing);
      if (!earlierResult) throw new DomainError('message_not_found');
      return earlierResult;
    }
    await this.uploads.share({ senderId, receiverId, messageType, content });
    // Only a quote needs profiles, for a name. They are loaded first, so that nothing can fail after the commit.
    const profiles = replyToId === null ? [] : await this.users.findProfiles([senderId, receiverId]);
    try {
      return await this.store(event, profiles);
    } catch (error) {
      if (findViolatedUniqueConstraint(error) !== CLIENT_ID_CONSTRAINT) throw error;
      // A concurrent attempt has stored the message first.
      const earlierResult = await this.findEarlierResult(outgoing);
      if (!earlierResult) throw error;
      return earlierResult;
    }
  }

  /**
   * Edits, reacts to or deletes a message between two friends.
   * @throws DomainError not_friends, message_not_found, unknown_emoji, invalid_payload, message_too_long; not_editable
   * for a message of the friend, or an edit of a message with images; unavailable after several concurrent changes
   */
  async change(change: ChangeInput): Promise<ChangeResult> {
    await this.requireFriends(change.userId, change.friendId);
    const command = { ...change, eventId: randomUUID(), at: new Date() } as ChangeCommand;
    const { state, events } = await throwUnavailableOnConflict(() =>
      command.type === 'DeletePrivateMessage'
        ? this.executor.runInTransaction((manager) => this.deleteWithContent(command, manager))
        : this.execute(command),
    );
    if (!state) throw new Error('A change was accepted for a message that does not exist');
    const isChanged = events.length > 0;
    // For a few seconds, the conversation is then not read from PostgreSQL's read replica, which may lack the change.
    if (isChanged) await this.changes.record(change.userId, change.friendId);
    return { message: state, isChanged };
  }

  /**
   * Loads a page of messages between the two, oldest first. The page ends before the message with the id `before`, or
   * with the newest message.
   * @throws DomainError not_friends
   */
  async loadConversation(
    userId: number,
    friendId: number,
    { before, limit = limits.privateMessagesPageSize }: { before?: number; limit?: number },
  ): Promise<PrivateMessage[]> {
    await this.requireFriends(userId, friendId);
    const pageSize = Math.min(limit, limits.privateMessagesPageSize);
    const [rows, profiles] = await Promise.all([
      before === undefined
        ? this.messages.loadNewest(userId, friendId, pageSize)
        : this.messages.loadOlder(userId, friendId, before, pageSize),
      this.users.findProfiles([userId, friendId]),
    ]);
    return rows.map((row) => toPrivateMessage(row, profiles));
  }

  /**
   * Marks every message from the friend as read.
   * @returns whether any message was unread.
   * @throws DomainError not_friends
   */
  async markRead(userId: number, friendId: number): Promise<boolean> {
    await this.requireFriends(userId, friendId);
    return this.messages.markRead(userId, friendId);
  }

  /**
   * Unread messages by the id of the friend who sent them, at most 100 for each: the page shows more than 99 as "99+".
   */
  async countUnread(userId: number): Promise<Record<string, number>> {
    const friendIds = await this.friendships.findFriendIds(userId);
    return friendIds.length === 0 ? {} : this.messages.countUnread(userId, friendIds);
  }

  /** @throws DomainError not_friends */
  async requireFriends(userId: number, friendId: number): Promise<void> {
    if (!(await this.friendships.areFriends(userId, friendId))) throw new DomainError('not_friends');
  }

  /** Whether the message has no quote, or quotes a message that may be quoted. */
  private async mayQuote({ replyToId, senderId, receiverId }: OutgoingMessage): Promise<boolean> {
    return replyToId === null || this.messages.isQuotable(replyToId, senderId, receiverId);
  }

  /** @returns null if no earlier attempt has stored the message. */
  private async findEarlierResult({
    senderId,
    receiverId,
    clientId,
  }: OutgoingMessage): Promise<SendResult | null> {
    if (!clientId) return null;
    const stored = await this.messages.findByClientId(senderId, clientId);
    return stored && toRepeatedResult(stored, receiverId);
  }

  private async store(event: PrivateMessageSent, profiles: readonly Profile[]): Promise<SendResult> {
    const { receiverId, replyToId } = event.data;
    const outcome = await this.messages.send(event);
    // In the following three cases, nothing was stored.
    if (!outcome) throw new DomainError('not_friends');
    const { id, createdAt, alreadyStored, quoted } = outcome;
    if (alreadyStored) return toRepeatedResult(alreadyStored, receiverId);
    if (replyToId !== null && !quoted) throw new DomainError('message_not_found');
    const state = privateMessageDecider.evolve(privateMessageDecider.initialState(), event);
    if (!state) throw new Error('PrivateMessageSent created no message');
    const sent = { ...state, id, type: state.messageType, createdAt, isEdited: false };
    return { id, createdAt, message: toPrivateMessage({ ...sent, reactions: [], quoted }, profiles) };
  }

  /** Deletes the message and its content, and withdraws its images from the receiver. */
  private async deleteWithContent(command: ChangeCommand, manager: EntityManager): Promise<ExecutedChange> {
    const executed = await this.execute(command, manager);
    if (executed.events.length > 0) {
      const streamId = buildPrivateMessageStreamId(command.messageId);
      // `clientId` is kept, so that a late retry does not send the deleted message again.
      const droppedContents = await this.personalData.dropFields(streamId, ['content'], manager);
      await this.uploads.withdraw(droppedContents, manager);
    }
    return executed;
  }

  private execute(command: ChangeCommand, manager?: EntityManager): Promise<ExecutedChange> {
    const streamId = buildPrivateMessageStreamId(command.messageId);
    return this.executor.execute(streamId, privateMessageDecider, command, manager);
  }
}

/** Creates the event of a message. The SQL statement that stores the event assigns the message id and the time. */
const createSentEvent = (outgoing: OutgoingMessage): PrivateMessageSent => {
  const placeholders = { messageId: 0, eventId: randomUUID(), at: new Date(0) };
  const command = { ...outgoing, ...placeholders, type: 'SendPrivateMessage' } as const;
  const [event] = privateMessageDecider.decide(command, privateMessageDecider.initialState());
  if (event?.type !== 'PrivateMessageSent') throw new Error('The decider returned no PrivateMessageSent');
  return event;
};

const toRepeatedResult = (
  { id, receiverId, createdAt }: StoredMessage,
  requestedReceiverId: number,
): SendResult => {
  // The same clientId with another receiver is not a retry.
  if (receiverId !== requestedReceiverId) throw new DomainError('invalid_payload');
  return { id, createdAt, message: null };
};

/** Converts a row to the message that clients receive. */
const toPrivateMessage = (row: PrivateMessageRow, profiles: readonly Profile[]): PrivateMessage => ({
  id: row.id,
  senderId: row.senderId,
  receiverId: row.receiverId,
  content: row.content,
  type: row.type,
  createdAt: row.createdAt.toISOString(),
  isEdited: row.isEdited,
  isDeleted: row.isDeleted,
  reactions: row.reactions,
  metadata: { replyTo: row.quoted && toReply(row.quoted, profiles) },
});

const toReply = (
  { id, senderId, type, content }: QuotedRow,
  profiles: readonly Profile[],
): NonNullable<PrivateMessage['metadata']['replyTo']> => ({
  id,
  senderId,
  content: formatQuote(type, content),
  senderName: profiles.find((profile) => profile.id === senderId)?.username ?? '',
});
