const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
// A key can also be written with Unicode escapes, so any escape triggers the full check.
const isSuspicious = (text: string): boolean =>
  text.includes('proto') || text.includes('constructor') || text.includes('\\u');

/** Whether an object has, at any depth, a key that could pollute prototypes. */
export const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => FORBIDDEN_KEYS.has(key) || hasForbiddenKey(inner));
};

/** Deeper than any frame or body of the contract, and far below the depth at which JSON.stringify fails. */
const MAX_DEPTH = 16;
/** Shorter texts cannot be nested deeply enough to overflow a recursive reader. */
const LONG_TEXT = 1_024;

/** Counts brackets before parsing: a deeply nested value would overflow recursive code later. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === 92) index += 1;
      else if (character === 34) isInString = false;
    } else if (character === 34) isInString = true;
    else if (character === 123 || character === 91) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === 125 || character === 93) depth -= 1;
  }
  return false;
};

/**
 * Parses JSON from outside.
 * @throws SyntaxError if it is malformed, nested more than 16 levels deep, or has a key that could pollute prototypes.
 */
export const parseUntrustedJson = (text: string): unknown => {
  if (text.length > LONG_TEXT && isTooDeep(text)) throw new SyntaxError('JSON is nested too deeply');
  const value: unknown = JSON.parse(text);
  if (isSuspicious(text) && hasForbiddenKey(value)) throw new SyntaxError('JSON names a prototype');
  return value;
};
