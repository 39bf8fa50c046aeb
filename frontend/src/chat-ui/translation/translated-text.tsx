import { copy } from '@/chat-ui/copy';
import { useTranslation } from '@/chat-ui/translation/translations.store';

/** Shown below a message whose translation was requested. */
export const TranslatedText = ({ messageKey, text }: { messageKey: string; text: string }) => {
  const translation = useTranslation(messageKey, text);
  if (!translation) return null;
  return (
    <span role="status" className="mt-1.5 block border-t border-border pt-1.5">
      {translation.state === 'done' ? (
        <>
          <span dir="auto" lang={translation.language} className="block">
            {translation.text}
          </span>
          <span className="block text-xs">{copy.translation.done}</span>
        </>
      ) : (
        <span className="block text-xs">{copy.translation[translation.state]}</span>
      )}
    </span>
  );
};
