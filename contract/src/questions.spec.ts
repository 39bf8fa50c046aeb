import { limits } from './limits.js';
import { findQuestionById, questions } from './questions.js';
import { questionSchema } from './random-chat.js';
import { normalizeText } from './text.js';

const prefix = 'Break the Ice: ';
const withoutPrefix = (question: string): string => question.slice(prefix.length);

const findOffenders = <T>(items: readonly T[], isGood: (item: T) => boolean): T[] =>
  items.filter((item) => !isGood(item));

const findRepeated = (texts: readonly string[]): string[] => {
  const normalized = texts.map((text) => text.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, ''));
  return normalized.filter((text, index) => normalized.indexOf(text) !== index);
};

describe('the question bank', () => {
  it('holds 30, 25 and 30 questions in its three categories', () => {
    const count = (category: string): number =>
      questions.filter((question) => question.category === category).length;
    expect(questions).toHaveLength(limits.questionCount);
    expect(['love_language', 'apology_language', 'anger_management'].map(count)).toEqual([30, 25, 30]);
  });

  it('numbers its questions from 1, in order', () => {
    expect(questions.map(({ id }) => id)).toEqual(Array.from({ length: 85 }, (_, index) => index + 1));
  });

  it('holds only questions that the frame schema accepts', () => {
    expect(findOffenders(questions, (question) => questionSchema.safeParse(question).success)).toEqual([]);
  });

  it('prefixes every question with "Break the Ice: " exactly once', () => {
    const texts = questions.map(({ question }) => question);
    expect(findOffenders(texts, (text) => text.lastIndexOf(prefix) === 0)).toEqual([]);
  });

  it('holds questions of 10 to 110 characters', () => {
    const texts = questions.map(({ question }) => withoutPrefix(question));
    expect(findOffenders(texts, (text) => text.length >= 10 && text.length <= 110)).toEqual([]);
  });

  it('holds no question twice', () => {
    expect(findRepeated(questions.map(({ question }) => question))).toEqual([]);
  });

  it('finds a question by its id, and none for an unknown id', () => {
    expect(findQuestionById(1)).toBe(questions[0]);
    expect(findQuestionById(85)).toBe(questions[84]);
    expect([0, 86, -1, 1.5, NaN].map(findQuestionById)).toEqual(Array(5).fill(undefined));
  });
});

describe('the options of a question', () => {
  const options = questions.flatMap((question) => question.options);

  it('are five for every question', () => {
    const hasFiveOptions = ({ options }: { options: string[] }): boolean =>
      options.length === limits.optionsPerQuestion;
    expect(findOffenders(questions, hasFiveOptions)).toEqual([]);
  });

  it('are never repeated, within a question or across the bank', () => {
    expect(findRepeated(options)).toEqual([]);
  });

  it('are two to seven words of at most 40 characters', () => {
    const isShort = (option: string): boolean => /^\S+( \S+){1,6}$/.test(option) && option.length <= 40;
    expect(findOffenders(options, isShort)).toEqual([]);
  });

  it('are of similar length, so that none stands out', () => {
    const isSimilarInLength = ({ options }: { options: string[] }): boolean => {
      const lengths = options.map((option) => option.length);
      return Math.max(...lengths) <= 2 * Math.min(...lengths);
    };
    expect(findOffenders(questions, isSimilarInLength)).toEqual([]);
  });

  it('are not changed by normalizeText, so that an answer matches its option', () => {
    expect(findOffenders(options, (option) => normalizeText(option) === option)).toEqual([]);
  });
});
