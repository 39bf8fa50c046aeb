import { limits } from '@thaw/contract/limits';
import { countCodePoints, hasVisibleCharacter, normalizeUsername } from '@thaw/contract/text';
import { toSkeleton } from './lookalike.rules';

// Words are compared by their skeletons: texts that look alike have the same skeleton.

/** Words with which a user could impersonate the service. */
const reservedWords = [
  'admin',
  'administrator',
  'moderator',
  'official',
  'staff',
  'support',
  'system',
  'thaw',
].map(toSkeleton);

/** Words that are refused only in combination with a reserved word: ThawTeam, SupportBot. */
const companionWords = ['team', 'help', 'helpdesk', 'bot', 'mod', 'service', 'the'].map(toSkeleton);

/** This list is only a first filter: users can report other offensive names. */
const slurs = ['nigger', 'nigga', 'faggot', 'kike', 'tranny', 'rapist', 'pedo', 'nazi', 'hitler', 'cunt'].map(
  toSkeleton,
);

/** The refused words and their plurals. `toSkeleton` keeps an `s`, so the skeleton of a plural ends in `s` too. */
const refusedWords = new Set([...reservedWords, ...slurs].flatMap((word) => [word, `${word}s`]));

const buildSingularOrPluralPattern = (words: readonly string[]): string =>
  words.map((word) => `${word}s?`).join('|');

/**
 * Matches a refused word, alone or with other words around it, such as `thethawteam`: companion words may precede it,
 * and companion or reserved words may follow. Applied to a name without its spaces and other non-letters.
 */
const refusedNamePattern = new RegExp(
  `^(?:${buildSingularOrPluralPattern(companionWords)})*` +
    `(?:${buildSingularOrPluralPattern([...reservedWords, ...slurs])})` +
    `(?:${buildSingularOrPluralPattern([...reservedWords, ...companionWords])})*$`,
);

const isRefusedSkeleton = (skeleton: string): boolean =>
  skeleton.split(/[^\p{L}]+/u).some((word) => refusedWords.has(word)) ||
  refusedNamePattern.test(skeleton.replace(/[^\p{L}]+/gu, ''));

/** Digits either replace letters (4dm1n) or are added (admin7), so a name is checked with and without digits. */
const containsRefusedWord = (username: string): boolean =>
  isRefusedSkeleton(toSkeleton(username)) || isRefusedSkeleton(toSkeleton(username.replace(/\p{N}/gu, ' ')));

const emoji = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`;
/**
 * Emoji sequences, including their joiners and variation selectors. Elsewhere, joiners and selectors are refused: they
 * are invisible, so different names could look alike.
 */
const emojiSequences = new RegExp(String.raw`[\d#*]\ufe0f\u20e3|${emoji}(?:\u200d${emoji})*`, 'gu');
/** Characters that render as nothing: default ignorables, including the Hangul fillers, and blank Braille. */
const invisibleCharacter = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More combining marks than any language stacks on a letter. */
const stackedMarks = /[\p{Mn}\p{Me}]{3,}/u;

/**
 * Checks a username (docs/product-decisions.md, A08).
 * @returns the normalized username, as it is stored; null when it is not acceptable.
 */
export const parseUsername = (text: string): string | null => {
  const username = normalizeUsername(text);
  const length = countCodePoints(username);
  const hasValidLength = length >= 1 && length <= limits.usernameMaxCodePoints;
  const isLegible =
    hasVisibleCharacter(username) &&
    !invisibleCharacter.test(username.replace(emojiSequences, '')) &&
    !stackedMarks.test(username);
  return hasValidLength && isLegible && !containsRefusedWord(username) ? username : null;
};
