const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/**
 * Whether a text could contain a forbidden key. A cheap test, so that most values are not searched. `proto` is a part
 * of two of the keys. A key can also be written with Unicode escapes, so any escape is suspicious.
 */
const isSuspicious = (text: string): boolean =>
  text.includes('proto') || text.includes('constructor') || text.includes('\\u');

/** Whether an object has, at any depth, a key that could pollute prototypes. */
export const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => FORBIDDEN_KEYS.has(key) || hasForbiddenKey(inner));
};

/** Deeper than any frame or body of the contract, and far below the depth at which JSON.stringify fails. */
const MAX_DEPTH = 16;
/** Texts up to this length are not checked: they cannot be nested deeply enough to overflow recursive code. */
const MAX_UNCHECKED_LENGTH = 1_024;

const toCharCode = (character: string): number => character.charCodeAt(0);
const [BACKSLASH, QUOTE] = [toCharCode('\\'), toCharCode('"')];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  toCharCode('{'),
  toCharCode('}'),
  toCharCode('['),
  toCharCode(']'),
];

/** Counts brackets, before the text is parsed: a deeply nested value would overflow recursive code later. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      // The character after a backslash cannot end the string.
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) isInString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
  }
  return false;
};

/**
 * Parses JSON from outside.
 * @throws SyntaxError if it is malformed, has a key that could pollute prototypes, or is both longer than 1,024
 * characters and nested more than 16 levels deep.
 */
export const parseUntrustedJson = (text: string): unknown => {
  if (text.length > MAX_UNCHECKED_LENGTH && isTooDeep(text))
    throw new SyntaxError('JSON is nested too deeply');
  const value: unknown = JSON.parse(text);
  if (isSuspicious(text) && hasForbiddenKey(value)) throw new SyntaxError('JSON has a forbidden key');
  return value;
};
