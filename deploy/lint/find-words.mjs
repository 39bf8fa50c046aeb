/** @typedef {import('./banned-words.mjs').BannedWord} BannedWord */
/** @typedef {{ found: string, instead: string, index: number }} Finding  `index` is in UTF-16 units of the text */

const GUILLEMETS = /[«»]/g;
const LINE_BREAK = '[ \\t]*\\r?\\n[ \\t]*';
const COMMENT_MARK = '(?:(?:\\*|//|--|#)[ \\t]*)?';
/** Matches between two words of a phrase: blanks, or a line break and the comment mark of the next line, if any. */
const BETWEEN_WORDS = `(?:[ \\t]+|${LINE_BREAK}${COMMENT_MARK})`;
/** Match before and after a word that is not a part of an identifier, a path or a file name. */
const WORD_START = '(?<![\\w$@./-])';
const WORD_END = '(?![\\w$/-]|\\.\\w)';

/** Replaces code in backticks by blanks, which preserves the positions of the remaining text. */
const withoutCode = (text) => text.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length));

/**
 * Finds the banned words in running text. Matches whole words only, ignores case and code in backticks.
 * @param {string} text
 * @param {BannedWord[]} words
 * @returns {Finding[]}
 */
export function findWordsInText(text, words) {
  const prose = withoutCode(text);
  return words.flatMap(({ forms, instead, unlessPrecededBy, unlessFollowedBy }) => {
    const alternatives = forms.map((form) => form.replaceAll(' ', BETWEEN_WORDS)).join('|');
    const expression = new RegExp(`${WORD_START}(?:${alternatives})${WORD_END}`, 'gi');
    const isException = ({ 0: found, index }) => {
      const [before, after] = [prose.slice(0, index), prose.slice(index + found.length)];
      return unlessPrecededBy?.test(before) || unlessFollowedBy?.test(after);
    };
    return [...prose.matchAll(expression)]
      .filter((match) => !isException(match))
      .map(({ 0: found, index }) => ({ found: found.replace(/\s+/g, ' '), instead, index }));
  });
}

/**
 * Finds the guillemets in a text.
 * @param {string} text
 * @returns {Finding[]}
 */
export const findGuillemets = (text) =>
  [...text.matchAll(GUILLEMETS)].map(({ 0: found, index }) => ({
    found,
    instead: 'quotation marks or backticks',
    index,
  }));

/**
 * Splits a name in camelCase, PascalCase, snake_case or kebab-case into words in lower case.
 * @param {string} name
 */
export const splitName = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

/**
 * Finds the banned words in a name, which is split into words: `tellPartner` contains `tell`, `intelligent` does not.
 * The exceptions of a word (`unlessPrecededBy`, `unlessFollowedBy`) do not apply to names. A finding concerns the whole
 * name, so its `index` is 0.
 * @param {string} name
 * @param {BannedWord[]} words
 * @returns {Finding[]}
 */
export function findWordsInName(name, words) {
  // With blanks around every word, `includes` finds whole words and phrases only.
  const wordsOfName = ` ${splitName(name).join(' ')} `;
  return words.flatMap(({ forms, instead }) =>
    forms
      .filter((form) => wordsOfName.includes(` ${form} `))
      .map((form) => ({ found: form, instead, index: 0 })),
  );
}
