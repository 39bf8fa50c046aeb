import { act, render, screen } from '@testing-library/react';
import { TranslatedText } from '@/chat-ui/translation/translated-text';
import { canTranslate, startTranslation } from '@/chat-ui/translation/translations.store';

const browserLanguage = 'en-GB';

const createTranslator = jest.fn(({ targetLanguage }: { sourceLanguage: string; targetLanguage: string }) =>
  Promise.resolve({ translate: (text: string) => Promise.resolve(`${text} in ${targetLanguage}`) }),
);

/** Installs the browser's translation API, which detects the given language in every text. */
const installApi = (detectedLanguage: string): void => {
  Object.assign(globalThis, {
    Translator: { create: createTranslator },
    LanguageDetector: {
      create: () => Promise.resolve({ detect: () => Promise.resolve([{ detectedLanguage }]) }),
    },
  });
};

beforeEach(() => {
  jest.clearAllMocks();
  jest.spyOn(navigator, 'language', 'get').mockReturnValue(browserLanguage);
});
afterEach(() => {
  for (const name of ['Translator', 'LanguageDetector']) Reflect.deleteProperty(globalThis, name);
  jest.restoreAllMocks();
});

it('a translation is available only where the browser can translate on the device', () => {
  expect(canTranslate()).toBe(false);
  installApi('pl');
  expect(canTranslate()).toBe(true);
});

it("a translation shows the text in the browser's language until the message is edited", async () => {
  installApi('pl');
  const { rerender } = render(<TranslatedText messageKey="m1" text="dzień dobry" hidesContacts={false} />);
  await act(() => startTranslation('m1', 'dzień dobry'));
  // The browser translates into a language without a region.
  expect(createTranslator).toHaveBeenCalledWith({ sourceLanguage: 'pl', targetLanguage: 'en' });
  expect(screen.getByText('dzień dobry in en')).toHaveAttribute('lang', browserLanguage);
  rerender(<TranslatedText messageKey="m1" text="dobry wieczór" hidesContacts={false} />);
  // TranslatedText shows a translation with the role `status`.
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it("TranslatedText reports that a text already is in the browser's language", async () => {
  installApi('en-US');
  render(<TranslatedText messageKey="m2" text="good morning" hidesContacts={false} />);
  await act(() => startTranslation('m2', 'good morning'));
  expect(screen.getByRole('status')).toHaveTextContent('Already in your language');
  expect(createTranslator).not.toHaveBeenCalled();
});

it('TranslatedText reports a failure when the language of the text is unknown', async () => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  installApi('und'); // the language code for an undetermined language
  render(<TranslatedText messageKey="m3" text="hm" hidesContacts={false} />);
  await act(() => startTranslation('m3', 'hm'));
  expect(screen.getByRole('status')).toHaveTextContent('Could not be translated');
});
