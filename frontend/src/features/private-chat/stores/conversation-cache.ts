import { limits } from '@thaw/contract/limits';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { type QueryClient } from '@tanstack/react-query';
import { conversationKey, fetchMessages } from '@/features/private-chat/api/private-messages';
import {
  applyChange as changeConversation,
  keepClientIds,
  refersToMissedMessage,
  prependPage,
  type Conversation,
  type ConversationChange,
} from '@/features/private-chat/conversation';

const toConversation = (page: readonly PrivateMessage[]): Conversation => ({
  messages: page,
  // A page that is not full contains the first message of the conversation.
  hasOlder: page.length === limits.privateMessagesPageSize,
});

const getOldestId = (conversation: Conversation | undefined): number | undefined =>
  conversation?.messages[0]?.id;

/** A read of a conversation, with the changes that have been pushed since it began. */
interface ReadInFlight {
  friendId: number;
  changes: ConversationChange[];
}

/**
 * The conversations in the query cache. A response may be older than changes that were pushed while it was in flight,
 * so these changes are applied to it again.
 */
export class ConversationCache {
  private readonly readsInFlight = new Set<ReadInFlight>();
  /** Called after each change, including changes of conversations that are not loaded. */
  onChange: ((userId: number, friendId: number, change: ConversationChange) => void) | undefined;

  constructor(
    private readonly queryClient: QueryClient,
    private readonly fetchPage: typeof fetchMessages = fetchMessages,
  ) {}

  /** The loaded part of a conversation; undefined when it was never opened. */
  getLoaded(userId: number, friendId: number): Conversation | undefined {
    return this.queryClient.getQueryData<Conversation>(conversationKey(userId, friendId));
  }

  /**
   * The query function of a conversation. Reads the newest page, and further pages back to the oldest loaded message,
   * so that a user who has scrolled up keeps their place.
   */
  read(userId: number, friendId: number): Promise<Conversation> {
    return this.fetchWithChanges(friendId, async () => {
      const loaded = this.getLoaded(userId, friendId);
      const conversation = await this.fetchBackTo(userId, friendId, getOldestId(loaded));
      // The rows of loaded messages keep their React keys, which are the client ids.
      return keepClientIds(conversation, loaded);
    });
  }

  /** Loads the page before the oldest loaded message. Resolves to false when there is none. */
  async readOlder(userId: number, friendId: number): Promise<boolean> {
    const loaded = this.getLoaded(userId, friendId);
    const oldestId = getOldestId(loaded);
    if (!loaded?.hasOlder || oldestId === undefined) return false;
    const olderPage = await this.fetchWithChanges(friendId, async () =>
      toConversation(await this.fetchPage(userId, friendId, oldestId)),
    );
    this.queryClient.setQueryData<Conversation>(
      conversationKey(userId, friendId),
      // Another call may have loaded this page in the meantime.
      (current) => (current && getOldestId(current) === oldestId ? prependPage(current, olderPage) : current),
    );
    return true;
  }

  /** Applies a pushed or acknowledged change, or reads the conversation again if an earlier push was missed. */
  applyChange(userId: number, friendId: number, change: ConversationChange): void {
    for (const read of this.readsInFlight) if (read.friendId === friendId) read.changes.push(change);
    const loaded = this.getLoaded(userId, friendId);
    if (loaded && refersToMissedMessage(loaded, change)) this.refetch(userId, friendId);
    else if (loaded) {
      const changed = changeConversation(loaded, change);
      this.queryClient.setQueryData<Conversation>(conversationKey(userId, friendId), changed);
    }
    this.onChange?.(userId, friendId, change);
  }

  /** Reads the conversation again, because the server's state may differ from the cached one. */
  refetch(userId: number, friendId: number): void {
    void this.queryClient.invalidateQueries({ queryKey: conversationKey(userId, friendId) });
  }

  remove(userId: number, friendId: number): void {
    this.queryClient.removeQueries({ queryKey: conversationKey(userId, friendId) });
  }

  /** Fetches the newest page, and older pages until one contains `messageId`. Without an id, only the newest page. */
  private async fetchBackTo(userId: number, friendId: number, messageId?: number): Promise<Conversation> {
    let conversation = toConversation(await this.fetchPage(userId, friendId));
    if (messageId === undefined) return conversation;
    let oldestId = getOldestId(conversation);
    while (conversation.hasOlder && oldestId !== undefined && oldestId > messageId) {
      const olderPage = toConversation(await this.fetchPage(userId, friendId, oldestId));
      conversation = prependPage(conversation, olderPage);
      oldestId = getOldestId(conversation);
    }
    return conversation;
  }

  /** Calls `load`, and applies to its result the changes that were pushed in the meantime. */
  private async fetchWithChanges(friendId: number, load: () => Promise<Conversation>): Promise<Conversation> {
    const read: ReadInFlight = { friendId, changes: [] };
    this.readsInFlight.add(read);
    try {
      const conversation = await load();
      return read.changes.reduce(changeConversation, conversation);
    } finally {
      this.readsInFlight.delete(read);
    }
  }
}
