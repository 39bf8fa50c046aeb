import { limits } from '@thaw/contract/limits';
import { codePointLength, hasVisibleCharacter, normalizeUsername } from '@thaw/contract/text';
import { skeletonOf } from './lookalike.rules';

/** Words that could be taken for the service itself. */
const reservedWords = [
  'admin',
  'administrator',
  'moderator',
  'official',
  'staff',
  'support',
  'system',
  'thaw',
].map(skeletonOf);

/** Words that combine with a reserved one into a name of the service: ThawTeam, modbot. */
const companionWords = ['team', 'help', 'helpdesk', 'bot', 'mod', 'service', 'the'].map(skeletonOf);

/** A first filter only: reports handle the rest. */
const slurs = ['nigger', 'nigga', 'faggot', 'kike', 'tranny', 'rapist', 'pedo', 'nazi', 'hitler', 'cunt'].map(
  skeletonOf,
);

const refusedWords = new Set([...reservedWords, ...slurs].flatMap((word) => [word, `${word}s`]));
const anyOf = (words: readonly string[]): string => words.map((word) => `${word}s?`).join('|');
const joinedWords = new RegExp(
  `^(?:${anyOf(companionWords)})*(?:${anyOf([...reservedWords, ...slurs])})(?:${anyOf([...reservedWords, ...companionWords])})*$`,
);

const holdsRefusedWord = (username: string): boolean =>
  // Digits either replace letters (4dm1n) or stand beside them (admin7).
  [skeletonOf(username), skeletonOf(username.replace(/\p{N}/gu, ' '))].some(
    (skeleton) =>
      skeleton.split(/[^\p{L}]+/u).some((word) => refusedWords.has(word)) ||
      joinedWords.test(skeleton.replace(/[^\p{L}]+/gu, '')),
  );

/**
 * Joiners and variation selectors that belong to an emoji. Anywhere else they create distinct names that look alike.
 */
const emojiSequences =
  /[\d#*]\ufe0f\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*/gu;
/** Characters that render as nothing: default ignorables, including the Hangul fillers, and blank Braille. */
const invisibleCharacter = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More combining marks than any language stacks on a letter. */
const stackedMarks = /[\p{Mn}\p{Me}]{3,}/u;

/** @returns the name as it is stored; null when it is not acceptable (A08). */
export const acceptableUsername = (given: string): string | null => {
  const username = normalizeUsername(given);
  const length = codePointLength(username);
  const fits = length >= 1 && length <= limits.usernameMaxCodePoints;
  const isLegible =
    hasVisibleCharacter(username) &&
    !invisibleCharacter.test(username.replace(emojiSequences, '')) &&
    !stackedMarks.test(username);
  return fits && isLegible && !holdsRefusedWord(username) ? username : null;
};
