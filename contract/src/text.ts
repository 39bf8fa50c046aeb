// C0 but tab and line feed, DEL, and C1: PostgreSQL refuses NUL, and none of the rest can be seen.
// eslint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const bidirectionalControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Inbound text as it may be stored: well-formed Unicode, without control characters but tab and line feed,
 * carriage returns folded, trimmed.
 */
export const normalizeText = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(controlCharacters, '').trim();

/** A username as it may be stored: one line, NFC, no control or bidirectional characters (A08). */
export const normalizeUsername = (text: string): string =>
  normalizeText(text).normalize('NFC').replace(bidirectionalControls, '').replace(/\s+/g, ' ').trim();

/** Length in Unicode code points, the unit of every text limit. */
export const codePointLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** The first `count` graphemes, then '...' when something was cut (A109). Never splits a surrogate pair. */
export const truncateGraphemes = (text: string, count: number): string => {
  if (text.length <= count) return text;
  let taken = 0;
  for (const { index } of graphemes.segment(text)) {
    if (taken === count) return `${text.slice(0, index)}...`;
    taken += 1;
  }
  return text;
};
