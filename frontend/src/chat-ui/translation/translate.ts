/** The browser's own translation (Chromium 138 and later): models on the device, so no text leaves it. */
export interface LanguageDetectorApi {
  create: () => Promise<{ detect: (text: string) => Promise<{ detectedLanguage?: string }[]> }>;
}
export interface TranslatorApi {
  create: (pair: {
    sourceLanguage: string;
    targetLanguage: string;
  }) => Promise<{ translate: (text: string) => Promise<string> }>;
}

const apis = (): { LanguageDetector: LanguageDetectorApi; Translator: TranslatorApi } => globalThis as never;

const primary = (language: string): string => new Intl.Locale(language).language;

/**
 * @returns the text in `language`; null when it is in that language already.
 * @throws when the language is not known, or there is no model for the two.
 */
export const translate = async (text: string, language: string): Promise<string | null> => {
  const { LanguageDetector, Translator } = apis();
  const targetLanguage = primary(language);
  const [guess] = await (await LanguageDetector.create()).detect(text);
  if (!guess?.detectedLanguage || guess.detectedLanguage === 'und') throw new Error('Unknown language');
  const sourceLanguage = primary(guess.detectedLanguage);
  if (sourceLanguage === targetLanguage) return null;
  return (await Translator.create({ sourceLanguage, targetLanguage })).translate(text);
};
