import { copy } from '@/features/moderation/copy';
import { currentUser } from '@/product/identity';
import { useProfile } from '@/product/profile-query';

/** The name of a moderator: "you" for the signed-in one. */
export const useModeratorName = (moderatorId: number | null): string => {
  const isMe = moderatorId !== null && moderatorId === currentUser()?.id;
  const placeholder = copy.moderator(moderatorId ?? 0);
  const { username } = useProfile(moderatorId ?? 0, placeholder, { isWanted: moderatorId !== null && !isMe });
  return isMe ? copy.you : (username ?? placeholder);
};
