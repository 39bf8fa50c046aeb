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
 * The question bank of Break the Ice (A69, A70). Stored chats refer to ids and options, so questions that were released
 * never change.
 */
export const questions: readonly Question[] = [
  ...toQuestions('love_language', loveLanguageQuestions),
  ...toQuestions('apology_language', apologyLanguageQuestions),
  ...toQuestions('anger_management', angerManagementQuestions),
];

const questionsById = new Map(questions.map((question) => [question.id, question]));

/** The question with this id, or undefined when the bank has none. */
export const findQuestionById = (id: number): Question | undefined => questionsById.get(id);
