import { canBeReactedTo, canBeEdited, type ChatMessage } from '@/chat-ui/chat-message';
import { parseContent } from '@/chat-ui/message-content';
import { canTranslate } from '@/chat-ui/translation/translations.store';

/** Which actions a kind of chat, random or private, offers at all. */
export interface Capabilities {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  /** Whether photos can be attached to a new message. This is not an action on an existing one. */
  attach: boolean;
  /** Whether the partner's messages can be reported. */
  report: boolean;
}

/** Which actions the user can take on one message. */
export interface AvailableActions {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  translate: boolean;
  report: boolean;
}

export const determineActions = (
  message: ChatMessage,
  ownId: number,
  capabilities: Capabilities,
): AvailableActions => {
  // A message that accepts no reactions, such as a notice or a deleted one, has no other actions either.
  const isActionable = canBeReactedTo(message);
  const isMine = message.senderId === ownId;
  return {
    reply: capabilities.reply && isActionable,
    react: capabilities.react && isActionable,
    edit: capabilities.edit && canBeEdited(message, ownId),
    delete: capabilities.delete && isActionable && isMine,
    // A photo without a caption has no text.
    translate: isActionable && !isMine && parseContent(message).text !== '' && canTranslate(),
    report: capabilities.report && isActionable && !isMine,
  };
};

export const hasAnyAction = (actions: AvailableActions): boolean => Object.values(actions).includes(true);
