import { create } from 'zustand';

export type Translation =
  | { state: 'working' | 'same' | 'failed'; of: string }
  | { state: 'done'; of: string; text: string; language: string };

/** By message key; kept in memory only. */
const useTranslations = create<Partial<Record<string, Translation>>>(() => ({}));

/** The translation of this text of a message; undefined if the text was edited afterwards. */
export const useTranslation = (key: string, text: string): Translation | undefined => {
  const translation = useTranslations((state) => state[key]);
  return translation?.of === text ? translation : undefined;
};

export const canTranslate = (): boolean => 'Translator' in globalThis && 'LanguageDetector' in globalThis;

/** Translates a message into the browser's language, on the device. The code is loaded with the first translation. */
export const startTranslation = async (key: string, text: string): Promise<void> => {
  const { language } = navigator;
  const set = (translation: Translation): void => useTranslations.setState({ [key]: translation });
  set({ state: 'working', of: text });
  try {
    const { translate } = await import('@/chat-ui/translation/translate');
    const translated = await translate(text, language);
    set(
      translated === null
        ? { state: 'same', of: text }
        : { state: 'done', of: text, text: translated, language },
    );
  } catch (error) {
    console.warn('The message could not be translated', error);
    set({ state: 'failed', of: text });
  }
};
