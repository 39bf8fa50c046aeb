import { angerManagementQuestions } from './questions-anger-management.js';
import { apologyLanguageQuestions } from './questions-apology-language.js';
import { loveLanguageQuestions } from './questions-love-language.js';
import { type Question } from './random-chat.js';

interface BankEntry {
  id: number;
  text: string;
  options: readonly [string, string, string, string, string];
}

const inCategory = (category: Question['category'], entries: readonly BankEntry[]): Question[] =>
  entries.map(({ id, text, options }) => ({
    id,
    question: `Break the Ice: ${text}`,
    options: [...options],
    category,
  }));

/** The question bank of Break the Ice (A69, A70). Stored chats refer to ids and options, so released ones never change. */
export const questions: readonly Question[] = [
  ...inCategory('love_language', loveLanguageQuestions),
  ...inCategory('apology_language', apologyLanguageQuestions),
  ...inCategory('anger_management', angerManagementQuestions),
];

const byId = new Map(questions.map((question) => [question.id, question]));

/** The question with this id, or undefined when the bank has none. */
export const questionById = (id: number): Question | undefined => byId.get(id);
