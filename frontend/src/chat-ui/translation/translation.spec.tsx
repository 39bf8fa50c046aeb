import { act, render, screen } from '@testing-library/react';
import { TranslatedText } from '@/chat-ui/translation/translated-text';
import { canTranslate, startTranslation } from '@/chat-ui/translation/translations.store';

const create = jest.fn(({ targetLanguage }: { sourceLanguage: string; targetLanguage: string }) =>
  Promise.resolve({ translate: (text: string) => Promise.resolve(`${text} in ${targetLanguage}`) }),
);

const install = (detectedLanguage: string): void => {
  Object.assign(globalThis, {
    Translator: { create },
    LanguageDetector: {
      create: () => Promise.resolve({ detect: () => Promise.resolve([{ detectedLanguage }]) }),
    },
  });
};

beforeEach(() => {
  jest.clearAllMocks();
  jest.spyOn(navigator, 'language', 'get').mockReturnValue('en-GB');
});
afterEach(() => {
  for (const name of ['Translator', 'LanguageDetector']) Reflect.deleteProperty(globalThis, name);
  jest.restoreAllMocks();
});

it('is offered only where the browser can translate on the device', () => {
  expect(canTranslate()).toBe(false);
  install('pl');
  expect(canTranslate()).toBe(true);
});

it("shows the text in the browser's language until the message is edited", async () => {
  install('pl');
  const { rerender } = render(<TranslatedText messageKey="m1" text="dzień dobry" hidesContacts={false} />);
  await act(() => startTranslation('m1', 'dzień dobry'));
  expect(create).toHaveBeenCalledWith({ sourceLanguage: 'pl', targetLanguage: 'en' });
  expect(screen.getByText('dzień dobry in en')).toHaveAttribute('lang', 'en-GB');
  rerender(<TranslatedText messageKey="m1" text="dobry wieczór" hidesContacts={false} />);
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it('reports that the text already is in that language', async () => {
  install('en-US');
  render(<TranslatedText messageKey="m2" text="good morning" hidesContacts={false} />);
  await act(() => startTranslation('m2', 'good morning'));
  expect(screen.getByRole('status')).toHaveTextContent('Already in your language');
  expect(create).not.toHaveBeenCalled();
});

it('reports that the language is unknown', async () => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  install('und');
  render(<TranslatedText messageKey="m3" text="hm" hidesContacts={false} />);
  await act(() => startTranslation('m3', 'hm'));
  expect(screen.getByRole('status')).toHaveTextContent('Could not be translated');
});
