import { copy } from '@/chat-ui/copy';
import { hideContacts } from '@/chat-ui/message-content';
import { useTranslation } from '@/chat-ui/translation/translations.store';

/** The translation of a message, shown below the message once the user has requested it. */
export const TranslatedText = ({
  messageKey,
  text,
  hidesContacts,
}: {
  messageKey: string;
  text: string;
  /** Whether a stranger wrote the message, so that contact details in its translation are hidden. */
  hidesContacts: boolean;
}) => {
  const translation = useTranslation(messageKey, text);
  if (!translation) return null;
  return (
    <span role="status" className="mt-1.5 block border-t border-border pt-1.5">
      {translation.state === 'done' ? (
        <>
          <span dir="auto" lang={translation.language} className="block">
            {hidesContacts ? hideContacts(translation.text) : translation.text}
          </span>
          <span className="block text-xs">{copy.translation.done}</span>
        </>
      ) : (
        <span className="block text-xs">{copy.translation[translation.state]}</span>
      )}
    </span>
  );
};
