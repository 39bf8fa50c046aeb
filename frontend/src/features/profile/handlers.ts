import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { currentUser, mergeIntoUser } from '@/product/identity';

export const profileEvents: readonly ServerEvent[] = ['profile_updated'];

/** Applies profile changes that the user made on another device. The friends feature handles changes by friends. */
export const handleProfileFrame = (frame: ServerFrame): void => {
  if (frame.event !== 'profile_updated') return;
  const { id, username, avatar } = frame.data.user;
  if (id !== currentUser()?.id) return;
  mergeIntoUser({ username, avatar });
};
