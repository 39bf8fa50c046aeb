import { copy } from '@/chat-ui/copy';
import { hideContacts } from '@/chat-ui/message-content';
import { useTranslation } from '@/chat-ui/translation/translations.store';

/** Shown below a message whose translation was requested. */
export const TranslatedText = ({
  messageKey,
  text,
  hidesContacts,
}: {
  messageKey: string;
  text: string;
  /** A stranger wrote the message. */
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
