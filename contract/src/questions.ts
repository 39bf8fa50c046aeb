import { angerManagementQuestions } from './questions-anger-management.js';
import { apologyLanguageQuestions } from './questions-apology-language.js';
import { loveLanguageQuestions } from './questions-love-language.js';
import { type Question } from './random-chat.js';

interface BankEntry {
  id: number;
  text: string;
  options: readonly [string, string, string, string, string];
}

const toQuestions = (category: Question['category'], entries: readonly BankEntry[]): Question[] =>
  entries.map(({ id, text, options }) => ({
    id,
    question: `Break the Ice: ${text}`,
    options: [...options],
    category,
  }));

/**
 * The question bank of Break the Ice, the question game of random chats. Stored chats refer to ids and options, so
 * questions that were released never change.
 */
export const questions: readonly Question[] = [
  ...toQuestions('love_language', loveLanguageQuestions),
  ...toQuestions('apology_language', apologyLanguageQuestions),
  ...toQuestions('anger_management', angerManagementQuestions),
];

const questionsById = new Map(questions.map((question) => [question.id, question]));

/** Finds a question by its id. @returns undefined if the bank has no such question */
export const findQuestionById = (id: number): Question | undefined => questionsById.get(id);
