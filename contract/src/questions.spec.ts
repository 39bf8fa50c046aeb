import { limits } from './limits.js';
import { findQuestionById, questions } from './questions.js';
import { questionSchema } from './random-chat.js';
import { normalizeText } from './text.js';

const prefix = 'Break the Ice: ';
const withoutPrefix = (question: string): string => question.slice(prefix.length);

const findInvalid = <T>(items: readonly T[], isValid: (item: T) => boolean): T[] =>
  items.filter((item) => !isValid(item));

/** Finds the texts that differ from an earlier one only in case or punctuation, or not at all. */
const findRepeated = (texts: readonly string[]): string[] => {
  const normalized = texts.map((text) => text.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, ''));
  return normalized.filter((text, index) => normalized.indexOf(text) !== index);
};

describe('the question bank', () => {
  it('holds 30, 25 and 30 questions in its three categories', () => {
    const count = (category: string): number =>
      questions.filter((question) => question.category === category).length;
    expect(questions).toHaveLength(limits.questionCount);
    expect(count('love_language')).toBe(30);
    expect(count('apology_language')).toBe(25);
    expect(count('anger_management')).toBe(30);
  });

  it('numbers its questions from 1, in order', () => {
    const numbers = Array.from({ length: limits.questionCount }, (_, index) => index + 1);
    expect(questions.map(({ id }) => id)).toEqual(numbers);
  });

  it('holds only questions that the frame schema accepts', () => {
    expect(findInvalid(questions, (question) => questionSchema.safeParse(question).success)).toEqual([]);
  });

  it('prefixes every question with "Break the Ice: " exactly once', () => {
    const texts = questions.map(({ question }) => question);
    const hasOnePrefix = (text: string): boolean =>
      text.startsWith(prefix) && !withoutPrefix(text).includes(prefix);
    expect(findInvalid(texts, hasOnePrefix)).toEqual([]);
  });

  it('holds questions of 10 to 110 characters after the prefix', () => {
    const texts = questions.map(({ question }) => withoutPrefix(question));
    expect(findInvalid(texts, (text) => text.length >= 10 && text.length <= 110)).toEqual([]);
  });

  it('holds no question twice', () => {
    expect(findRepeated(questions.map(({ question }) => question))).toEqual([]);
  });

  it('finds a question by its id', () => {
    expect(findQuestionById(1)).toBe(questions[0]);
    expect(findQuestionById(limits.questionCount)).toBe(questions.at(-1));
  });

  it.each([0, limits.questionCount + 1, -1, 1.5, NaN])('finds no question with the id %p', (id) => {
    expect(findQuestionById(id)).toBeUndefined();
  });
});

describe('the options of a question', () => {
  const options = questions.flatMap((question) => question.options);

  it('are five for every question', () => {
    const hasFiveOptions = ({ options }: { options: string[] }): boolean =>
      options.length === limits.optionsPerQuestion;
    expect(findInvalid(questions, hasFiveOptions)).toEqual([]);
  });

  it('are never repeated, within a question or across the bank', () => {
    expect(findRepeated(options)).toEqual([]);
  });

  it('are two to seven words of at most 40 characters', () => {
    const isShort = (option: string): boolean => /^\S+( \S+){1,6}$/.test(option) && option.length <= 40;
    expect(findInvalid(options, isShort)).toEqual([]);
  });

  it('are at most twice as long as the shortest option of their question', () => {
    const isSimilarInLength = ({ options }: { options: string[] }): boolean => {
      const lengths = options.map((option) => option.length);
      return Math.max(...lengths) <= 2 * Math.min(...lengths);
    };
    expect(findInvalid(questions, isSimilarInLength)).toEqual([]);
  });

  it('are not changed by normalizeText, so that an answer matches its option', () => {
    expect(findInvalid(options, (option) => normalizeText(option) === option)).toEqual([]);
  });
});
