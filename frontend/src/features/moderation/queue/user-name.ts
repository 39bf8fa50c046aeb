import { type CaseItem } from '@thaw/contract/moderation';
import { copy } from '@/features/moderation/copy';

/** The name of the user whom a case is about. Erased users have none. */
export const getUserName = ({ username, userId }: Pick<CaseItem, 'username' | 'userId'>): string =>
  username || copy.someone(userId);
