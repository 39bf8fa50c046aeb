import { limits } from '@thaw/contract/limits';
import { codePointLength, hasVisibleCharacter, normalizeUsername } from '@thaw/contract/text';
import { skeletonOf } from './lookalike.rules';

/** Words that pass for the service itself. */
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

/** Words that make a name of the service together with a reserved one: ThawTeam, modbot. */
const companionWords = ['team', 'help', 'helpdesk', 'bot', 'mod', 'service', 'the'].map(skeletonOf);

/** A first sieve only: reports deal with the rest. */
const slurs = ['nigger', 'nigga', 'faggot', 'kike', 'tranny', 'rapist', 'pedo', 'nazi', 'hitler', 'cunt'].map(
  skeletonOf,
);

const refusedWords = new Set([...reservedWords, ...slurs].flatMap((word) => [word, `${word}s`]));
const anyOf = (words: readonly string[]): string => words.map((word) => `${word}s?`).join('|');
const joinedWords = new RegExp(
  `^(?:${anyOf(companionWords)})*(?:${anyOf([...reservedWords, ...slurs])})(?:${anyOf([...reservedWords, ...companionWords])})*$`,
);

const holdsRefusedWord = (username: string): boolean =>
  // Digits pass for letters (4dm1n), or stand beside them (admin7).
  [skeletonOf(username), skeletonOf(username.replace(/\p{N}/gu, ' '))].some(
    (skeleton) =>
      skeleton.split(/[^\p{L}]+/u).some((word) => refusedWords.has(word)) ||
      joinedWords.test(skeleton.replace(/[^\p{L}]+/gu, '')),
  );

/** Joiners and selectors that belong to an emoji. Everywhere else they make names that look alike and are not. */
const emojiSequences =
  /[\d#*]\ufe0f\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*/gu;
/** Characters that show nothing: ignorables, among them the Hangul fillers, and blank Braille. */
const invisibleCharacter = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More than any language stacks on a letter. */
const stackedMarks = /[\p{Mn}\p{Me}]{3,}/u;

/** The name as it may be stored; null when it may not (A08). */
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
