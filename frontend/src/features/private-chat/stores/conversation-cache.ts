import { limits } from '@thaw/contract/limits';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { type QueryClient } from '@tanstack/react-query';
import { conversationKey, fetchPage } from '@/features/private-chat/api/private-messages';
import {
  apply,
  keepNames,
  misses,
  prepend,
  type Conversation,
  type ConversationChange,
} from '@/features/private-chat/conversation';

const asRead = (page: readonly PrivateMessage[]): Conversation => ({
  messages: page,
  hasOlder: page.length === limits.privateMessagesPage,
});

/**
 * The cached conversations. A response may be older than changes pushed while it was in flight, so those changes are
 * applied to it again.
 */
export class ConversationCache {
  private readonly readings = new Map<number, Set<ConversationChange[]>>();
  /** Called after each change, also of conversations that are not loaded. */
  onChange: ((userId: number, friendId: number, made: ConversationChange) => void) | undefined;

  constructor(
    private readonly queryClient: QueryClient,
    private readonly readPage: typeof fetchPage = fetchPage,
  ) {}

  known(userId: number, friendId: number): Conversation | undefined {
    return this.queryClient.getQueryData<Conversation>(conversationKey(userId, friendId));
  }

  /**
   * Reads the newest messages, and back to the oldest loaded one, so that a user who has scrolled up keeps their place.
   */
  read(userId: number, friendId: number): Promise<Conversation> {
    return this.reading(friendId, async () => {
      const known = this.known(userId, friendId);
      const oldest = known?.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
      let conversation = asRead(await this.readPage(userId, friendId));
      while (conversation.hasOlder && (conversation.messages[0]?.id ?? 0) > oldest) {
        const page = await this.readPage(userId, friendId, conversation.messages[0]?.id);
        conversation = prepend(conversation, asRead(page));
      }
      return keepNames(conversation, known);
    });
  }

  /** Loads the page before the oldest loaded message. Resolves to false when there is none. */
  async readOlder(userId: number, friendId: number): Promise<boolean> {
    const known = this.known(userId, friendId);
    const before = known?.messages[0]?.id;
    if (!known?.hasOlder || before === undefined) return false;
    const older = await this.reading(friendId, async () =>
      asRead(await this.readPage(userId, friendId, before)),
    );
    this.queryClient.setQueryData<Conversation>(
      conversationKey(userId, friendId),
      // Another call may have loaded this page in the meantime.
      (present) => (present?.messages[0]?.id === before ? prepend(present, older) : present),
    );
    return true;
  }

  change(userId: number, friendId: number, made: ConversationChange): void {
    for (const changes of this.readings.get(friendId) ?? []) changes.push(made);
    const key = conversationKey(userId, friendId);
    const known = this.known(userId, friendId);
    if (known && misses(known, made)) void this.queryClient.invalidateQueries({ queryKey: key });
    else if (known) this.queryClient.setQueryData<Conversation>(key, apply(known, made));
    this.onChange?.(userId, friendId, made);
  }

  reread(userId: number, friendId: number): void {
    void this.queryClient.invalidateQueries({ queryKey: conversationKey(userId, friendId) });
  }

  forget(userId: number, friendId: number): void {
    this.queryClient.removeQueries({ queryKey: conversationKey(userId, friendId) });
  }

  private async reading(friendId: number, read: () => Promise<Conversation>): Promise<Conversation> {
    const changes: ConversationChange[] = [];
    const readings = this.readings.get(friendId) ?? new Set();
    this.readings.set(friendId, readings.add(changes));
    try {
      const conversation = await read();
      return changes.reduce(
        (before, made) => (misses(before, made) ? before : apply(before, made)),
        conversation,
      );
    } finally {
      readings.delete(changes);
    }
  }
}
