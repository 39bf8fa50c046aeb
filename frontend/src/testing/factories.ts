import { type PartnerInfo } from '@thaw/contract/random-chat';
import { type SelfUser } from '@thaw/contract/users';

export const aUser = (changes: Partial<SelfUser> = {}): SelfUser => ({
  id: 7,
  username: 'quiet-otter-42',
  avatar: null,
  email: null,
  gender: 'female',
  isAnonymous: true,
  isOnline: true,
  createdAt: '2026-11-20T12:00:00.000Z',
  ...changes,
});

export const aPartner = (changes: Partial<PartnerInfo> = {}): PartnerInfo => ({
  id: 12,
  username: 'brave-heron-7',
  avatar: null,
  isOnline: true,
  ...changes,
});
