import { type CaseItem } from '@thaw/contract/moderation';
import { copy } from '@/features/moderation/copy';

/** The name of the user whom a case is about. Erased users have an empty username, so they are named by their id. */
export const getUserName = ({ username, userId }: Pick<CaseItem, 'username' | 'userId'>): string =>
  username || copy.someone(userId);
