import { type FriendRequest } from '@thaw/contract/friends';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { goodStanding } from '@thaw/contract/standing';
import { type Friend, type PublicUser, type SelfUser } from '@thaw/contract/users';
import { type ChatMessage } from '@/chat-ui/chat-message';

// By default the signed-in user has the id 7, and the partner or friend has the id 12.

export const aUser = (changes: Partial<SelfUser> = {}): SelfUser => ({
  id: 7,
  username: 'quiet-otter-42',
  avatar: null,
  email: null,
  gender: 'female',
  isAnonymous: true,
  isOnline: true,
  createdAt: '2026-11-20T12:00:00.000Z',
  isModerator: false,
  standing: goodStanding,
  ...changes,
});

export const aPartner = (changes: Partial<PublicUser> = {}): PublicUser => ({
  id: 12,
  username: 'brave-heron-7',
  avatar: null,
  isOnline: true,
  ...changes,
});

/** A text message of a random chat, sent by the partner unless `changes` says otherwise. */
export const aMessage = (changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id: '1763640000000-0',
  key: '1763640000000-0', // the id, or the `clientId` of a message that has one
  senderId: 12,
  content: 'hi',
  type: 'text',
  timestamp: Date.parse('2026-11-20T12:00:00.000Z'),
  replyTo: null,
  reactions: {},
  isEdited: false,
  delivery: 'sent',
  ...changes,
});

/**
 * A private message, sent by the friend to the user unless `changes` says otherwise. A message that the user sent may
 * also have a `clientId`.
 */
export const aPrivateMessage = (
  changes: Partial<PrivateMessage & { clientId: string }> = {},
): PrivateMessage & { clientId?: string } => ({
  id: 1,
  senderId: 12,
  receiverId: 7,
  content: 'hello',
  type: 'text',
  createdAt: '2026-11-20T12:00:00.000Z',
  isEdited: false,
  isDeleted: false,
  reactions: [],
  metadata: { replyTo: null },
  ...changes,
});

export const aFriend = (changes: Partial<Friend> = {}): Friend => ({
  id: 12,
  username: 'brave-heron-7',
  avatar: null,
  isOnline: true,
  lastMessage: null,
  ...changes,
});

export const aFriendRequest = (changes: Partial<FriendRequest> = {}): FriendRequest => ({
  id: 31,
  requesterId: 12,
  addresseeId: 7,
  status: 'pending',
  createdAt: '2026-11-20T12:00:00.000Z',
  ...changes,
});
