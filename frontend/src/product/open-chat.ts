import { create } from 'zustand';

export interface OpenChat {
  partnerName: string;
  /** Number of messages from the partner since this page stopped showing the chat. */
  unread: number;
}

/** The random chat that is still open while the user is on another page; written only by app/realtime.ts. */
export const useOpenChat = create<{ chat: OpenChat | null }>()(() => ({ chat: null }));
