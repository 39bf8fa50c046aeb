import { findContactDetails } from '@thaw/contract/contact-details';
import { findStatedAge } from '@thaw/contract/stated-age';
import { countCodePoints, hasVisibleCharacter, normalizeText } from '@thaw/contract/text';
import { suggestionLimits } from '@thaw/contract/suggestions';

/** The reasoning that some models write before their answer. */
const reasoning = /<think>[\s\S]*?(?:<\/think>|$)/g;
const listMarker = /^(?:[-*•–]|\d{1,2}[.):])\s+/;
const emphasis = /\*\*|__/g;
const outerQuotes = /^["'“”„«»‘’]+|["'“”„«»‘’]+$/g;
/** Direction controls, which would reorder text next to the suggestion. */
const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** HTML, links and images of Markdown, tables, code, JSON, and `[IMAGE:…]` markers of messages. */
const markup = /[<>{}[\]|`\\#]/;

/**
 * Longer lines are ignored, which limits the time that the regular expressions take. A line may be longer than a
 * suggestion, because list markers, quotes and emphasis are removed from it.
 */
const MAX_LINE_LENGTH = 4 * suggestionLimits.maxCodePoints;

const stripFormatting = (line: string): string =>
  line
    .replace(directionControls, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(listMarker, '')
    .replace(emphasis, '')
    .replace(outerQuotes, '')
    .trim();

const isUsable = (text: string): boolean =>
  hasVisibleCharacter(text) &&
  countCodePoints(text) <= suggestionLimits.maxCodePoints &&
  // Omits an introduction such as "Here are three suggestions:".
  !text.endsWith(':') &&
  !markup.test(text) &&
  findContactDetails(text).length === 0 &&
  // `findStatedAge` finds only ages under 18. A message in which the sender states one ends the chat.
  findStatedAge(text) === undefined;

/**
 * Parses the answer of a model, which has one suggestion per line. Omits repeated and unusable lines, such as lines
 * with markup, contact details or a stated age.
 * @returns at most `suggestionLimits.count` suggestions.
 */
export const parseSuggestions = (answer: string): string[] => {
  const lines = normalizeText(answer.replace(reasoning, '')).split('\n');
  const suggestions = lines
    .filter(({ length }) => length <= MAX_LINE_LENGTH)
    .map(stripFormatting)
    .filter(isUsable);
  return [...new Set(suggestions)].slice(0, suggestionLimits.count);
};
