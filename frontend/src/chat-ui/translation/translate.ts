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

const getBrowserApis = (): { LanguageDetector: LanguageDetectorApi; Translator: TranslatorApi } =>
  globalThis as never;

const getPrimaryLanguage = (language: string): string => new Intl.Locale(language).language;

/**
 * @returns the text in `language`, or null when it already is in that language.
 * @throws when the language cannot be detected, or no model exists for the pair.
 */
export const translate = async (text: string, language: string): Promise<string | null> => {
  const { LanguageDetector, Translator } = getBrowserApis();
  const targetLanguage = getPrimaryLanguage(language);
  const [guess] = await (await LanguageDetector.create()).detect(text);
  if (!guess?.detectedLanguage || guess.detectedLanguage === 'und') throw new Error('Unknown language');
  const sourceLanguage = getPrimaryLanguage(guess.detectedLanguage);
  if (sourceLanguage === targetLanguage) return null;
  return (await Translator.create({ sourceLanguage, targetLanguage })).translate(text);
};
