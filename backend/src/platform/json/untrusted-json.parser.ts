/** Keys that could pollute prototypes. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** Deeper than any frame or body of the contract, and far below the depth at which JSON.stringify fails. */
const MAX_DEPTH = 16;
/** Texts up to this length are not checked: they cannot be nested deeply enough to overflow recursive code. */
const MAX_UNCHECKED_LENGTH = 1_024;

/**
 * A cheap test, so that most values are not searched for forbidden keys. `proto` is part of `__proto__` and of
 * `prototype`. Any Unicode escape counts as well, because keys can be written with escapes.
 */
const mayHaveForbiddenKey = (text: string): boolean =>
  text.includes('proto') || text.includes('constructor') || text.includes('\\u');

/** Whether an object has, at any depth, a key that could pollute prototypes. */
export const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => FORBIDDEN_KEYS.has(key) || hasForbiddenKey(inner));
};

/** Counts brackets, before the text is parsed: a deeply nested value would overflow recursive code later. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index += 1; // skips the escaped character, which cannot end the string
      if (character === '"') isInString = false;
    } else if (character === '"') {
      isInString = true;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
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
  if (mayHaveForbiddenKey(text) && hasForbiddenKey(value)) throw new SyntaxError('JSON has a forbidden key');
  return value;
};
