/** The browser's translation API (Chromium 138 and later). Models run on the device, so no text leaves it. */
export interface LanguageDetectorApi {
  create: () => Promise<{ detect: (text: string) => Promise<{ detectedLanguage?: string }[]> }>;
}
export interface TranslatorApi {
  create: (pair: {
    sourceLanguage: string;
    targetLanguage: string;
  }) => Promise<{ translate: (text: string) => Promise<string> }>;
}

/** The DOM types of TypeScript lack these globals. They exist only if `canTranslate()` returns true. */
const getBrowserApis = (): { LanguageDetector: LanguageDetectorApi; Translator: TranslatorApi } =>
  globalThis as never;

/** Reduces a language tag such as "en-GB" to its language, "en". */
const getPrimaryLanguage = (language: string): string => new Intl.Locale(language).language;

/**
 * Translates a text on the device.
 * @param language  a language tag, such as "en-GB"
 * @returns the text in `language`, or null if it already is in that language
 * @throws if the language of the text cannot be detected, or if no model exists for the two languages
 */
export const translate = async (text: string, language: string): Promise<string | null> => {
  const { LanguageDetector, Translator } = getBrowserApis();
  const targetLanguage = getPrimaryLanguage(language);
  const [guess] = await (await LanguageDetector.create()).detect(text);
  // "und" is the language tag for an undetermined language.
  if (!guess?.detectedLanguage || guess.detectedLanguage === 'und') throw new Error('Unknown language');
  const sourceLanguage = getPrimaryLanguage(guess.detectedLanguage);
  if (sourceLanguage === targetLanguage) return null;
  return (await Translator.create({ sourceLanguage, targetLanguage })).translate(text);
};
