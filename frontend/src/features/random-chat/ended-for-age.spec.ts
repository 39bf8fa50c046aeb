import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { uploadUrl } from '@thaw/contract/uploads';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { isEndedForAge } from '@/features/random-chat/ended-for-age';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import { aMessage, aPartner } from '@/testing/factories';

const image = uploadUrl({ bucket: 'chat-images', key: '0123456789abcdef0123456789abcdef.webp' });

/** Whether a chat with this message counts as ended because a user has stated an age under 18. */
const isChatEndedForAge = (
  message: Partial<ChatMessage>,
  endReason: RandomChatState['endReason'] = 'disconnected',
) =>
  isEndedForAge({
    endReason,
    session: {
      sessionId: 's1',
      seq: 3,
      isResyncing: false,
      partner: aPartner(),
      partnerConnection: 'connected',
      isPartnerTyping: false,
      messages: [aMessage({ content: 'hello' }), aMessage(message)],
      celebratedGame: null,
      unconfirmedMessages: {},
    },
  });

it.each([
  ['a message', { content: 'hey im 15' }],
  ['an edited message', { content: '14f', isEdited: true }],
  ['the caption of a picture', { type: 'mixed' as const, content: `im 16\n[IMAGE:${image}]` }],
])('a chat has ended for age if a user has stated an age under 18 in %s', (_place, message) => {
  expect(isChatEndedForAge(message)).toBe(true);
});

it.each([
  [
    'in which a user has stated the age of another person',
    { content: 'my sister is 13' },
    'disconnected' as const,
  ],
  ['in which an adult has stated their age', { content: 'im 51' }, 'disconnected' as const],
  ['that the partner has skipped', { content: 'im 15' }, 'skipped' as const],
  [
    'whose welcome notice contains a username that reads like a stated age',
    { senderId: SYSTEM_SENDER_ID, content: 'im 15' },
    'disconnected' as const,
  ],
  ['that continues', { content: 'im 15' }, null],
])('a chat %s has not ended for age', (_case, message, endReason) => {
  expect(isChatEndedForAge(message, endReason)).toBe(false);
});
