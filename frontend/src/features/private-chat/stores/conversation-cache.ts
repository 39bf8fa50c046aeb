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
  // Only the page that contains the first message is shorter.
  hasOlder: page.length === limits.privateMessagesPageSize,
});

/**
 * The conversations in the query cache. A response may be older than changes that were pushed while it was in flight,
 * so these changes are applied to it again.
 */
export class ConversationCache {
  /** By friend id. Each read in flight has a list, which collects the changes that are pushed during the read. */
  private readonly changesDuringReads = new Map<number, Set<ConversationChange[]>>();
  /** Called after each change, including changes of conversations that are not loaded. */
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
   * The query function of a conversation. Reads the newest page, and further pages back to the oldest loaded message,
   * so that a user who has scrolled up keeps their place.
   */
  read(userId: number, friendId: number): Promise<Conversation> {
    return this.readWithChanges(friendId, async () => {
      const loaded = this.getLoaded(userId, friendId);
      // If nothing is loaded, the loop below reads no further page: no id is greater than this number.
      const oldestLoadedId = loaded?.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
      let conversation = toConversation(await this.readPage(userId, friendId));
      let firstId = conversation.messages[0]?.id;
      while (conversation.hasOlder && firstId !== undefined && firstId > oldestLoadedId) {
        const page = await this.readPage(userId, friendId, firstId);
        conversation = prependPage(conversation, toConversation(page));
        firstId = conversation.messages[0]?.id;
      }
      // The rows of loaded messages keep their React keys, which are the client ids.
      return keepClientIds(conversation, loaded);
    });
  }

  /** Loads the page before the oldest loaded message. Resolves to false when there is none. */
  async readOlder(userId: number, friendId: number): Promise<boolean> {
    const loaded = this.getLoaded(userId, friendId);
    const firstId = loaded?.messages[0]?.id;
    if (!loaded?.hasOlder || firstId === undefined) return false;
    const older = await this.readWithChanges(friendId, async () =>
      toConversation(await this.readPage(userId, friendId, firstId)),
    );
    this.queryClient.setQueryData<Conversation>(
      conversationKey(userId, friendId),
      // Another call may have loaded this page in the meantime.
      (current) => (current?.messages[0]?.id === firstId ? prependPage(current, older) : current),
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

  /** Reads the conversation again, because the server's state may differ from the cached one. */
  refetch(userId: number, friendId: number): void {
    void this.queryClient.invalidateQueries({ queryKey: conversationKey(userId, friendId) });
  }

  remove(userId: number, friendId: number): void {
    this.queryClient.removeQueries({ queryKey: conversationKey(userId, friendId) });
  }

  /** Calls `read`, and applies to its result the changes that were pushed in the meantime. */
  private async readWithChanges(friendId: number, read: () => Promise<Conversation>): Promise<Conversation> {
    const changes: ConversationChange[] = [];
    const changeLists = this.changesDuringReads.get(friendId) ?? new Set();
    changeLists.add(changes);
    this.changesDuringReads.set(friendId, changeLists);
    try {
      const conversation = await read();
      return changes.reduce(applyChange, conversation);
    } finally {
      changeLists.delete(changes);
    }
  }
}
