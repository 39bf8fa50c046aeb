import { create } from 'zustand';

/**
 * `original` is the text of the message at the time of the translation. In the state `same`, the text is already in the
 * browser's language.
 */
export type Translation =
  | { state: 'working' | 'same' | 'failed'; original: string }
  | { state: 'done'; original: string; text: string; language: string };

/** The translations, by message key. They are in memory only. */
const useTranslations = create<Partial<Record<string, Translation>>>(() => ({}));

/** The translation of a message; undefined if there is none, or if the message was edited after its translation. */
export const useTranslation = (key: string, text: string): Translation | undefined => {
  const translation = useTranslations((state) => state[key]);
  return translation?.original === text ? translation : undefined;
};

export const canTranslate = (): boolean => 'Translator' in globalThis && 'LanguageDetector' in globalThis;

/** Translates a message into the browser's language, on the device. The code is loaded for the first translation. */
export const startTranslation = async (key: string, text: string): Promise<void> => {
  const { language } = navigator;
  const set = (translation: Translation): void => useTranslations.setState({ [key]: translation });
  set({ state: 'working', original: text });
  try {
    const { translate } = await import('@/chat-ui/translation/translate');
    const translated = await translate(text, language);
    set(
      translated === null
        ? { state: 'same', original: text }
        : { state: 'done', original: text, text: translated, language },
    );
  } catch (error) {
    console.warn('The message could not be translated', error);
    set({ state: 'failed', original: text });
  }
};
