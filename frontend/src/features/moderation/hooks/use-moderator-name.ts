import { copy } from '@/features/moderation/copy';
import { currentUser } from '@/product/identity';
import { useProfile } from '@/product/profile-query';

/**
 * Returns the name of a moderator: "you" for the signed-in one, and "Moderator #<id>" while the name is unknown.
 * @param moderatorId null if there is no moderator: a hook has to be called even then, but its result has no meaning
 */
export const useModeratorName = (moderatorId: number | null): string => {
  const isMe = moderatorId !== null && moderatorId === currentUser()?.id;
  // Without a moderator, `useProfile` gets an unused id and sends no request.
  const profileId = moderatorId ?? 0;
  const placeholder = copy.moderator(profileId);
  const { username } = useProfile(profileId, placeholder, { isWanted: moderatorId !== null && !isMe });
  return isMe ? copy.you : (username ?? placeholder);
};
