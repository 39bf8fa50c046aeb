import { limits } from '@thaw/contract/limits';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { type QueryClient } from '@tanstack/react-query';
import { conversationKey, fetchMessages } from '@/features/private-chat/api/private-messages';
import {
  applyChange,
  keepClientIds,
  refersToMissedMessage,
  prependPage,
  type Conversation,
  type ConversationChange,
} from '@/features/private-chat/conversation';

const toConversation = (page: readonly PrivateMessage[]): Conversation => ({
  messages: page,
  hasOlder: page.length === limits.privateMessagesPageSize,
});

/**
 * The cached conversations. A response may be older than changes pushed while it was in flight, so those changes are
 * applied to it again.
 */
export class ConversationCache {
  /** For each friend the reads in flight: one list for each read, of the changes that were pushed since it began. */
  private readonly changesDuringReads = new Map<number, Set<ConversationChange[]>>();
  /** Called after each change, also of conversations that are not loaded. */
  onChange: ((userId: number, friendId: number, change: ConversationChange) => void) | undefined;

  constructor(
    private readonly queryClient: QueryClient,
    private readonly readPage: typeof fetchMessages = fetchMessages,
  ) {}

  /** The loaded part of a conversation; undefined when it was never opened. */
  getLoaded(userId: number, friendId: number): Conversation | undefined {
    return this.queryClient.getQueryData<Conversation>(conversationKey(userId, friendId));
  }

  /**
   * Reads the newest messages, and back to the oldest loaded one, so that a user who has scrolled up keeps their place.
   */
  read(userId: number, friendId: number): Promise<Conversation> {
    return this.readWithChanges(friendId, async () => {
      const loaded = this.getLoaded(userId, friendId);
      const oldest = loaded?.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
      let conversation = toConversation(await this.readPage(userId, friendId));
      while (conversation.hasOlder && (conversation.messages[0]?.id ?? 0) > oldest) {
        const page = await this.readPage(userId, friendId, conversation.messages[0]?.id);
        conversation = prependPage(conversation, toConversation(page));
      }
      return keepClientIds(conversation, loaded);
    });
  }

  /** Loads the page before the oldest loaded message. Resolves to false when there is none. */
  async readOlder(userId: number, friendId: number): Promise<boolean> {
    const loaded = this.getLoaded(userId, friendId);
    const before = loaded?.messages[0]?.id;
    if (!loaded?.hasOlder || before === undefined) return false;
    const older = await this.readWithChanges(friendId, async () =>
      toConversation(await this.readPage(userId, friendId, before)),
    );
    this.queryClient.setQueryData<Conversation>(
      conversationKey(userId, friendId),
      // Another call may have loaded this page in the meantime.
      (present) => (present?.messages[0]?.id === before ? prependPage(present, older) : present),
    );
    return true;
  }

  /** Applies a pushed or acknowledged change, or reads the conversation again if an earlier push was missed. */
  applyChange(userId: number, friendId: number, change: ConversationChange): void {
    for (const changes of this.changesDuringReads.get(friendId) ?? []) changes.push(change);
    const key = conversationKey(userId, friendId);
    const loaded = this.getLoaded(userId, friendId);
    if (loaded && refersToMissedMessage(loaded, change))
      void this.queryClient.invalidateQueries({ queryKey: key });
    else if (loaded) this.queryClient.setQueryData<Conversation>(key, applyChange(loaded, change));
    this.onChange?.(userId, friendId, change);
  }

  /** Reads the conversation again, because the server may have a state that is not known here. */
  refetch(userId: number, friendId: number): void {
    void this.queryClient.invalidateQueries({ queryKey: conversationKey(userId, friendId) });
  }

  remove(userId: number, friendId: number): void {
    this.queryClient.removeQueries({ queryKey: conversationKey(userId, friendId) });
  }

  /** Reads, and applies the changes pushed in the meantime to the result. */
  private async readWithChanges(friendId: number, read: () => Promise<Conversation>): Promise<Conversation> {
    const changes: ConversationChange[] = [];
    const readsOfFriend = this.changesDuringReads.get(friendId) ?? new Set();
    this.changesDuringReads.set(friendId, readsOfFriend.add(changes));
    try {
      const conversation = await read();
      return changes.reduce(
        (before, change) => (refersToMissedMessage(before, change) ? before : applyChange(before, change)),
        conversation,
      );
    } finally {
      readsOfFriend.delete(changes);
    }
  }
}
