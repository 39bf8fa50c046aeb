import { type ReactNode } from 'react';
import { isEndedForAge } from '@/features/random-chat/ended-for-age';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';

/**
 * Shows its children, such as Add Friend, unless the chat has ended because one of the two users has stated that they
 * are under 18: the server then refuses friend requests between them.
 */
export const UnlessEndedForAge = ({ children }: { children: ReactNode }) =>
  useRandomChat(isEndedForAge) ? null : children;
