/** A part of a message: text, or the address of a web page. */
export type TextPart = { text: string; url?: undefined } | { text: string; url: URL };

/** Starts with http://, https:// or www. and ends before a space, a quotation mark or an angle bracket. */
const addressPattern = /\b(?:https?:\/\/|www\.)[^\s<>"']+/giu;
const openingBrackets: Partial<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * Removes trailing punctuation that belongs to the sentence, not to the address. A closing bracket belongs to the
 * address if its opening one is in it, too, as in `/wiki/Ice_(film)`.
 */
const trimPunctuation = (candidate: string): string => {
  let end = candidate.length;
  while (end > 0) {
    const last = candidate[end - 1] ?? '';
    const opening = openingBrackets[last];
    const rest = candidate.slice(0, end);
    const isUnmatched = opening !== undefined && rest.split(last).length > rest.split(opening).length;
    if (!/[.,;:!?…»”’]/u.test(last) && !isUnmatched) break;
    end -= 1;
  }
  return candidate.slice(0, end);
};

const parseWebAddress = (text: string): URL | null => {
  try {
    const url = new URL(/^www\./iu.test(text) ? `https://${text}` : text);
    return url.hostname.includes('.') ? url : null;
  } catch {
    return null;
  }
};

/** Splits a text into plain parts and web addresses, in order. */
export const splitByAddresses = (text: string): readonly TextPart[] => {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: candidate, index } of text.matchAll(addressPattern)) {
    const link = trimPunctuation(candidate);
    const url = parseWebAddress(link);
    if (!url) continue;
    if (index > from) parts.push({ text: text.slice(from, index) });
    parts.push({ text: link, url });
    from = index + link.length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
};
