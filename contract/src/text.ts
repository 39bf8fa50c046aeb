import { limits } from './limits.js';

// C0 but tab and line feed, DEL, and C1: PostgreSQL refuses NUL, and none of the rest can be seen.
// eslint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const bidirectionalControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// eslint-disable-next-line no-control-regex
const controlOrLoneSurrogate = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

/** Nothing of these can be seen: white space, controls, ignorables (joiners, selectors, fillers, tags), blank braille. */
const visibleCharacter = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800\u{1d159}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Inbound text as it may be stored: well-formed Unicode, without control characters but tab and line feed,
 * carriage returns folded, trimmed.
 */
export const normalizeText = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(controlCharacters, '').trim();

/** Whether a text is well-formed Unicode without any control character, line breaks included. */
export const isPlainLine = (text: string): boolean => !controlOrLoneSurrogate.test(text);

/** Whether a text shows at least one character when it is rendered. */
export const hasVisibleCharacter = (text: string): boolean => visibleCharacter.test(text);

/** A username as it may be stored: one line, NFC, no control or bidirectional characters (A08). */
export const normalizeUsername = (text: string): string =>
  normalizeText(text).normalize('NFC').replace(bidirectionalControls, '').replace(/\s+/g, ' ').trim();

/** Length in Unicode code points, the unit of every text limit. */
export const codePointLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/**
 * The first `count` graphemes, then '...' when something was cut (A109). A grapheme can be of any length (a letter with
 * a thousand accents is one), so the whole holds at most `count * limits.quotedCodePointsPerGrapheme` code points. Never
 * splits a surrogate pair; splits a grapheme only where it alone is longer than that.
 */
export const truncateGraphemes = (text: string, count: number): string => {
  if (text.length <= count) return text;
  const budget = count * limits.quotedCodePointsPerGrapheme;
  let [taken, codePoints] = [0, 0];
  for (const { segment, index } of graphemes.segment(text)) {
    codePoints += codePointLength(segment);
    if (taken === count || (codePoints > budget && taken > 0)) return `${text.slice(0, index)}...`;
    if (codePoints > budget) return `${firstCodePoints(segment, budget)}...`;
    taken += 1;
  }
  return text;
};

const firstCodePoints = (text: string, count: number): string => {
  let end = 0;
  for (let taken = 0; taken < count; taken += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
};
