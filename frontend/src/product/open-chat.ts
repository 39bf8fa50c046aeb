import { create } from 'zustand';

export interface OpenChat {
  partnerName: string;
  /** Messages of the partner that came while this page did not show the chat. */
  unread: number;
}

/** The random chat that is open while this page shows something else; written by app/realtime.ts alone. */
export const useOpenChat = create<{ chat: OpenChat | null }>()(() => ({ chat: null }));
