import { create } from 'zustand';
import { discardAttachment } from '@/chat-ui/composer/attachment';
import { readOutgoing, writeOutgoing, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type OutboxOptions, type OutboxState } from '@/chat-ui/outbox/outbox.types';

const emptyOutbox: OutboxState = { messages: [], notice: null, unsavedEdits: [] };

/** Whether a message has a picture that is only in memory, so that a reload loses it. */
const hasUnstoredPicture = ({ state }: OutgoingMessage): boolean =>
  state === 'uploading' || state === 'upload_failed';

/** The unsent messages of the current user, which are also in session storage, and the uploads of their pictures. */
export const createOutboxMessages = ({
  getStorageKey,
  onPictureLost,
}: Pick<OutboxOptions, 'getStorageKey' | 'onPictureLost'>) => {
  const useStore = create<OutboxState>()(() => emptyOutbox);
  /** The uploads in progress, by the client id of their message. */
  const uploads = new Map<string, AbortController>();
  let userId: number | undefined;

  const list = (): readonly OutgoingMessage[] => useStore.getState().messages;

  const find = (clientId: string): OutgoingMessage | undefined =>
    list().find((message) => message.clientId === clientId);

  const replaceAll = (messages: readonly OutgoingMessage[]): void => {
    useStore.setState({ messages });
    if (userId !== undefined) writeOutgoing(getStorageKey(userId), messages);
  };

  /** @returns the changed message; undefined if it has been removed */
  const update = (clientId: string, change: Partial<OutgoingMessage>): OutgoingMessage | undefined => {
    replaceAll(
      list().map((message) => (message.clientId === clientId ? { ...message, ...change } : message)),
    );
    return find(clientId);
  };

  /**
   * Removes messages and aborts their uploads. Also frees their pictures, unless `keepsPictures` is true: then a
   * composer owns them again.
   */
  const removeWhere = (
    shouldRemove: (message: OutgoingMessage) => boolean,
    { keepsPictures = false } = {},
  ): void => {
    const removed = list().filter(shouldRemove);
    if (removed.length === 0) return;
    replaceAll(list().filter((message) => !removed.includes(message)));
    for (const { clientId, picture } of removed) {
      uploads.get(clientId)?.abort();
      uploads.delete(clientId);
      if (!keepsPictures) discardAttachment(picture);
    }
  };

  return {
    useStore,
    uploads,
    list,
    find,
    replaceAll,
    update,
    removeWhere,
    remove: (clientId: string): void => removeWhere((message) => message.clientId === clientId),

    /**
     * Erases the messages of the previous user, and loads those of the next user from session storage. Also called for
     * the same user, for example when a suspension begins: their messages stay, except those with a picture that is
     * not uploaded yet. `onPictureLost` receives the text of these.
     */
    switchUser: (nextUserId: number | undefined): void => {
      if (userId !== nextUserId) removeWhere(() => true);
      for (const controller of uploads.values()) controller.abort();
      uploads.clear();
      userId = nextUserId;
      // Replaced below by the stored messages, which have no pictures.
      for (const { picture } of list()) discardAttachment(picture);
      const stored = nextUserId === undefined ? [] : readOutgoing(getStorageKey(nextUserId));
      useStore.setState(emptyOutbox); // also removes the notice and the unsaved edits
      replaceAll(stored.filter((message) => !hasUnstoredPicture(message)));
      for (const { conversationId, content, replyTo } of stored.filter(hasUnstoredPicture))
        onPictureLost(conversationId, { text: content, replyTo });
    },
  };
};

export type OutboxMessages = ReturnType<typeof createOutboxMessages>;
