/** A part of a message: plain text, or a web address with its parsed URL. */
export type TextPart = { text: string; url?: undefined } | { text: string; url: URL };

/** Starts with http://, https:// or www. and ends before a space, a quotation mark or an angle bracket. */
const addressPattern = /\b(?:https?:\/\/|www\.)[^\s<>"']+/giu;
const openingBrackets: Partial<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const countBrackets = (text: string, bracket: string): number => text.split(bracket).length - 1;

/**
 * Removes trailing punctuation, which belongs to the sentence. A closing bracket belongs to the address if the address
 * also contains its opening bracket, as in `/wiki/Ice_(film)`.
 */
const trimPunctuation = (candidate: string): string => {
  let end = candidate.length;
  while (end > 0) {
    const last = candidate[end - 1] ?? '';
    const opening = openingBrackets[last];
    const rest = candidate.slice(0, end);
    const isUnmatched = opening !== undefined && countBrackets(rest, last) > countBrackets(rest, opening);
    if (!/[.,;:!?…»”’]/u.test(last) && !isUnmatched) break;
    end -= 1;
  }
  return candidate.slice(0, end);
};

/** @returns null if the text is not a URL, or if its host has no dot, such as `localhost` */
const parseWebAddress = (text: string): URL | null => {
  try {
    const url = new URL(/^www\./iu.test(text) ? `https://${text}` : text);
    return url.hostname.includes('.') ? url : null;
  } catch {
    return null;
  }
};

/** Splits a text into plain parts and web addresses, in order. An empty text results in one empty part. */
export const splitByAddresses = (text: string): readonly TextPart[] => {
  const parts: TextPart[] = [];
  let plainStart = 0;
  for (const { 0: candidate, index } of text.matchAll(addressPattern)) {
    const address = trimPunctuation(candidate);
    const url = parseWebAddress(address);
    if (!url) continue;
    if (index > plainStart) parts.push({ text: text.slice(plainStart, index) });
    parts.push({ text: address, url });
    plainStart = index + address.length;
  }
  if (plainStart < text.length || parts.length === 0) parts.push({ text: text.slice(plainStart) });
  return parts;
};
