import { findContactDetails } from '@thaw/contract/contact-details';
import { findStatedAge } from '@thaw/contract/stated-age';
import { countCodePoints, hasVisibleCharacter, normalizeText } from '@thaw/contract/text';
import { suggestionLimits } from '@thaw/contract/suggestions';

/** What a reasoning model writes before its answer. */
const reasoning = /<think>[\s\S]*?(?:<\/think>|$)/g;
const listMarker = /^(?:[-*•–]|\d{1,2}[.):])\s+/;
const emphasis = /\*\*|__/g;
const outerQuotes = /^["'“”„«»‘’]+|["'“”„«»‘’]+$/g;
/** Direction controls, which would reorder text next to the suggestion. */
const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** HTML, links and images of Markdown, tables, code, JSON, and the markers of images in messages. */
const markup = /[<>{}[\]|`\\#]/;

/** Longer lines are ignored, so that patterns stay fast. A multiple of the longest suggestion, for markup to remove. */
const MAX_LINE_LENGTH = 4 * suggestionLimits.maxCodePoints;

const toSuggestion = (line: string): string =>
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
  // An introduction such as "Here are three suggestions:".
  !text.endsWith(':') &&
  !markup.test(text) &&
  findContactDetails(text).length === 0 &&
  findStatedAge(text) === undefined;

/**
 * Parses the answer of a model into suggestions, one per line. Omits lines that are too long, or contain markup,
 * contact details or a stated age.
 */
export const parseSuggestions = (answer: string): string[] => {
  const lines = normalizeText(answer.replace(reasoning, '')).split('\n');
  const usable = lines
    .filter(({ length }) => length <= MAX_LINE_LENGTH)
    .map(toSuggestion)
    .filter(isUsable);
  return [...new Set(usable)].slice(0, suggestionLimits.count);
};
