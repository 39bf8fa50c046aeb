import { limits } from './limits.js';

// All control characters (C0, DEL and C1) except tab and line feed. PostgreSQL rejects NUL; the others are invisible.
// eslint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const bidirectionalControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// With the flag `u`, a surrogate matches only if it is not part of a pair.
// eslint-disable-next-line no-control-regex
const controlOrLoneSurrogate = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

/**
 * Any character except those that render blank: white space, controls, ignorables (joiners, variation selectors,
 * fillers, tags), the blank braille pattern (U+2800) and the musical null note head (U+1D159).
 */
const visibleCharacter = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800\u{1d159}]/u;

const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Normalises inbound text for storage.
 * @returns the text, trimmed, with lone surrogates replaced by U+FFFD, line breaks as line feeds, and no control
 *   characters except tab and line feed
 */
export const normalizeText = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(controlCharacters, '').trim();

/** Whether a text is well-formed Unicode without control characters; line breaks count as control characters. */
export const isPlainLine = (text: string): boolean => !controlOrLoneSurrogate.test(text);

/** Whether a text shows at least one character when it is rendered. */
export const hasVisibleCharacter = (text: string): boolean => visibleCharacter.test(text);

/**
 * Normalises a username for storage.
 * @returns the name on one line, trimmed, in NFC, without control or bidirectional characters; may be empty
 */
export const normalizeUsername = (text: string): string =>
  normalizeText(text).normalize('NFC').replace(bidirectionalControls, '').replace(/\s+/g, ' ').trim();

/** The length of a text in Unicode code points, the unit of limits such as `limits.messageMaxCodePoints`. */
export const countCodePoints = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

const takeCodePoints = (text: string, count: number): string => Array.from(text).slice(0, count).join('');

/**
 * Cuts a text, such as the quote of a message, after `count` graphemes. Appends '...' if anything was cut.
 *
 * A grapheme has no maximum length (a letter with a thousand accents is one), so the result is also limited to
 * `count * limits.quoteMaxCodePointsPerGrapheme` code points before the dots. A surrogate pair is never split. A
 * grapheme is split only if it alone exceeds that limit.
 * @param count  the largest number of graphemes, at least 1
 */
export const truncateGraphemes = (text: string, count: number): string => {
  // A grapheme has at least one UTF-16 code unit.
  if (text.length <= count) return text;
  const maxCodePoints = count * limits.quoteMaxCodePointsPerGrapheme;
  let graphemeCount = 0;
  let codePoints = 0;
  for (const { segment, index } of graphemeSegmenter.segment(text)) {
    codePoints += countCodePoints(segment);
    const exceedsLimitAlone = graphemeCount === 0 && codePoints > maxCodePoints;
    if (exceedsLimitAlone) return `${takeCodePoints(segment, maxCodePoints)}...`;
    if (codePoints > maxCodePoints || graphemeCount === count) return `${text.slice(0, index)}...`;
    graphemeCount += 1;
  }
  return text;
};
