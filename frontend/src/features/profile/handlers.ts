import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { currentUser, mergeIntoUser } from '@/product/identity';

export const profileEvents: readonly ServerEvent[] = ['profile_updated'];

/** My profile as I changed it on another device; that of a friend is no concern of this feature. */
export const handleProfileFrame = (frame: ServerFrame): void => {
  if (frame.event !== 'profile_updated') return;
  const { id, username, avatar } = frame.data.user;
  if (id !== currentUser()?.id) return;
  mergeIntoUser({ username, avatar });
};
