const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
// A key can also be spelt with escapes, so any escape is followed by the full check.
const isSuspicious = (text: string): boolean =>
  text.includes('proto') || text.includes('constructor') || text.includes('\\u');

/** Whether an object, at any depth, has a key that touches prototypes. */
export const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => FORBIDDEN_KEYS.has(key) || hasForbiddenKey(inner));
};

/** Deeper than any frame or body of the contract, and far from where JSON.stringify gives up. */
const MAX_DEPTH = 16;
/** Shorter texts cannot nest deep enough to harm anything that reads them. */
const LONG_TEXT = 1_024;

/** Counts brackets before anything is built: a deep value breaks what walks it later. */
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
 * JSON from outside.
 * @throws SyntaxError when it is malformed, nested deeper than any frame or body, or names a prototype.
 */
export const parseUntrustedJson = (text: string): unknown => {
  if (text.length > LONG_TEXT && isTooDeep(text)) throw new SyntaxError('JSON is nested too deeply');
  const value: unknown = JSON.parse(text);
  if (isSuspicious(text) && hasForbiddenKey(value)) throw new SyntaxError('JSON names a prototype');
  return value;
};
