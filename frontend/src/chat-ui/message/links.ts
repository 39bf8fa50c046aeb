/** A part of a message: text, or the address of a web page. */
export type TextPart = { text: string; url?: undefined } | { text: string; url: URL };

const address = /\b(?:https?:\/\/|www\.)[^\s<>"']+/giu;
const closing: Partial<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Removes trailing punctuation that belongs to the sentence, not to the address. */
const trimmed = (found: string): string => {
  let end = found.length;
  while (end > 0) {
    const last = found[end - 1] ?? '';
    const opening = closing[last];
    const rest = found.slice(0, end);
    const isUnmatched = opening !== undefined && rest.split(last).length > rest.split(opening).length;
    if (!/[.,;:!?…»”’]/u.test(last) && !isUnmatched) break;
    end -= 1;
  }
  return found.slice(0, end);
};

const urlOf = (text: string): URL | null => {
  try {
    const url = new URL(/^www\./iu.test(text) ? `https://${text}` : text);
    return url.hostname.includes('.') ? url : null;
  } catch {
    return null;
  }
};

export const partsOf = (text: string): readonly TextPart[] => {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const link = trimmed(found);
    const url = urlOf(link);
    if (!url) continue;
    if (index > from) parts.push({ text: text.slice(from, index) });
    parts.push({ text: link, url });
    from = index + link.length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
};
