import { create } from 'zustand';

export interface OpenChat {
  partnerName: string;
  /** Number of messages from the partner that arrived while this page did not show the chat. */
  unread: number;
}

/** The random chat that is still open while the user is on another page; written only by app/open-chat-reminder.ts. */
export const useOpenChat = create<{ chat: OpenChat | null }>()(() => ({ chat: null }));
