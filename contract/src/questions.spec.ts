import { limits } from './limits.js';
import { questionById, questions } from './questions.js';
import { questionSchema } from './random-chat.js';
import { normalizeText } from './text.js';

const prefix = 'Break the Ice: ';
const textOf = (question: string): string => question.slice(prefix.length);

const offenders = <T>(items: readonly T[], isGood: (item: T) => boolean): T[] =>
  items.filter((item) => !isGood(item));

const repeated = (texts: readonly string[]): string[] => {
  const bare = texts.map((text) => text.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, ''));
  return bare.filter((text, index) => bare.indexOf(text) !== index);
};

describe('the question bank', () => {
  it('holds 30, 25 and 30 questions', () => {
    const count = (category: string): number => questions.filter((one) => one.category === category).length;
    expect(questions).toHaveLength(limits.questionCount);
    expect(['love_language', 'apology_language', 'anger_management'].map(count)).toEqual([30, 25, 30]);
  });

  it('counts its ids from 1, in order', () => {
    expect(questions.map(({ id }) => id)).toEqual(Array.from({ length: 85 }, (_, index) => index + 1));
  });

  it('holds what the frames may carry', () => {
    expect(offenders(questions, (question) => questionSchema.safeParse(question).success)).toEqual([]);
  });

  it('puts the prefix before every question, once', () => {
    const texts = questions.map(({ question }) => question);
    expect(offenders(texts, (text) => text.lastIndexOf(prefix) === 0)).toEqual([]);
  });

  it('asks in 10 to 110 characters', () => {
    const texts = questions.map(({ question }) => textOf(question));
    expect(offenders(texts, (text) => text.length >= 10 && text.length <= 110)).toEqual([]);
  });

  it('asks nothing twice', () => {
    expect(repeated(questions.map(({ question }) => question))).toEqual([]);
  });

  it('is found by id', () => {
    expect(questionById(1)).toBe(questions[0]);
    expect(questionById(85)).toBe(questions[84]);
    expect([0, 86, -1, 1.5, NaN].map(questionById)).toEqual(Array(5).fill(undefined));
  });
});

describe('the options', () => {
  const options = questions.flatMap((question) => question.options);

  it('are five', () => {
    const isFive = ({ options }: { options: string[] }): boolean => options.length === limits.questionOptions;
    expect(offenders(questions, isFive)).toEqual([]);
  });

  it('are never repeated, within a question or across the bank', () => {
    expect(repeated(options)).toEqual([]);
  });

  it('are two to seven words of at most 40 characters', () => {
    const isShort = (option: string): boolean => /^\S+( \S+){1,6}$/.test(option) && option.length <= 40;
    expect(offenders(options, isShort)).toEqual([]);
  });

  it('are of similar length, so that none stands out', () => {
    const isEven = ({ options }: { options: string[] }): boolean => {
      const lengths = options.map((option) => option.length);
      return Math.max(...lengths) <= 2 * Math.min(...lengths);
    };
    expect(offenders(questions, isEven)).toEqual([]);
  });

  it('come back from a client as they were sent', () => {
    expect(offenders(options, (option) => normalizeText(option) === option)).toEqual([]);
  });
});
