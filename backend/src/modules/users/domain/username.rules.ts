import { limits } from '@thaw/contract/limits';
import { countCodePoints, hasVisibleCharacter, normalizeUsername } from '@thaw/contract/text';
import { toSkeleton } from './lookalike.rules';

// Names and words are compared by their skeletons (`toSkeleton`): texts that look alike have the same skeleton.

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

/** Words that are refused only beside a reserved word: ThawTeam, SupportBot. */
const companionWords = ['team', 'help', 'helpdesk', 'bot', 'mod', 'service', 'the'].map(toSkeleton);

/** This list is only a first filter: users can report other offensive names. */
const slurs = ['nigger', 'nigga', 'faggot', 'kike', 'tranny', 'rapist', 'pedo', 'nazi', 'hitler', 'cunt'].map(
  toSkeleton,
);

const refusedWords = [...reservedWords, ...slurs];

/** Matches one of the words, in the singular or plural. `toSkeleton` keeps the `s` of a plural. */
const buildWordPattern = (words: readonly string[]): string =>
  `(?:${words.map((word) => `${word}s?`).join('|')})`;

const refusedWordPattern = new RegExp(`^${buildWordPattern(refusedWords)}$`);
/** Matches a refused word after companion words and before companion or reserved words, such as `thethawteam`. */
const refusedCompoundPattern = new RegExp(
  `^${buildWordPattern(companionWords)}*` +
    buildWordPattern(refusedWords) +
    `${buildWordPattern([...reservedWords, ...companionWords])}*$`,
);

const isRefusedSkeleton = (skeleton: string): boolean => {
  const words = skeleton.split(/[^\p{L}]+/u);
  // Joined as well, because a name may separate the letters of a word: `A d m i n`.
  return words.some((word) => refusedWordPattern.test(word)) || refusedCompoundPattern.test(words.join(''));
};

/** Digits either replace letters (4dm1n) or are added (admin7), so a name is checked with and without digits. */
const containsRefusedWord = (username: string): boolean =>
  isRefusedSkeleton(toSkeleton(username)) || isRefusedSkeleton(toSkeleton(username.replace(/\p{N}/gu, ' ')));

/** Such as the digit 1 in a box: a character with a variation selector and an enclosing keycap. */
const keycap = String.raw`[\d#*]\ufe0f\u20e3`;
/** An emoji, with a variation selector or a skin tone. */
const emoji = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`;
/**
 * Emoji sequences, including their joiners and variation selectors. Elsewhere, joiners and selectors are refused: they
 * are invisible, so different names could look alike.
 */
const emojiSequences = new RegExp(String.raw`${keycap}|${emoji}(?:\u200d${emoji})*`, 'gu');
/** Characters that render as nothing: default ignorables, including the Hangul fillers, and blank Braille. */
const invisibleCharacter = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More combining marks than any language stacks on a letter. */
const stackedMarks = /[\p{Mn}\p{Me}]{3,}/u;

const isLegible = (username: string): boolean =>
  hasVisibleCharacter(username) &&
  !invisibleCharacter.test(username.replace(emojiSequences, '')) &&
  !stackedMarks.test(username);

/**
 * Checks a username (docs/product-decisions.md, A08).
 * @returns the normalized username, as it is stored; null when it is not acceptable.
 */
export const parseUsername = (text: string): string | null => {
  const username = normalizeUsername(text);
  const isTooLong = countCodePoints(username) > limits.usernameMaxCodePoints;
  if (isTooLong || !isLegible(username) || containsRefusedWord(username)) return null;
  return username;
};
