import { canBeReactedTo, isOwnText, type ChatMessage } from '@/chat-ui/chat-message';
import { contentOf } from '@/chat-ui/message-content';
import { canTranslate } from '@/chat-ui/translation/translations.store';

/** Actions of this kind of chat; absent ones are not shown. */
export interface Capabilities {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  attach: boolean;
}

/** Actions available for one message. */
export interface Offer {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  translate: boolean;
}

export const offerOf = (message: ChatMessage, me: number, capabilities: Capabilities): Offer => {
  const isThere = canBeReactedTo(message);
  const isMine = message.senderId === me;
  return {
    reply: capabilities.reply && isThere,
    react: capabilities.react && isThere,
    edit: capabilities.edit && isOwnText(message, me),
    delete: capabilities.delete && isThere && isMine,
    translate: isThere && !isMine && contentOf(message).text !== '' && canTranslate(),
  };
};

export const offersAnything = (offer: Offer): boolean => Object.values(offer).includes(true);
