import { uploadUrl } from '@thaw/contract/uploads';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { isEndedForAge } from '@/features/random-chat/ended-for-age';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import { aMessage, aPartner } from '@/testing/factories';

const image = uploadUrl({ bucket: 'chat-images', key: '0123456789abcdef0123456789abcdef.webp' });

const createEndedState = (
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
])('a chat has ended for age after a statement in %s', (_, message) => {
  expect(createEndedState(message)).toBe(true);
});

it.each([
  ['one without a statement', { content: 'my sister is 13' }, 'disconnected' as const],
  ['one that the partner has skipped', { content: 'im 51' }, 'skipped' as const],
  [
    'one whose notice has a name like a statement',
    { senderId: 0, content: 'im 15' },
    'disconnected' as const,
  ],
  ['one that goes on', { content: 'im 15' }, null],
])('%s has not', (_, message, endReason) => {
  expect(createEndedState(message, endReason)).toBe(false);
});
