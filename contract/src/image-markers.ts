import type { MessageType } from './scalars.js';
import { parseUploadUrl } from './uploads.js';

/** The content of a mixed message, taken apart. */
export interface MixedContent {
  text: string;
  imageUrls: string[];
}

const markerPattern = /^\[IMAGE:([^\]]+)\]$/;

const isChatImage = (url: string): boolean => parseUploadUrl(url)?.bucket === 'chat-images';

const imageUrlOfLine = (line: string): string | null => {
  const url = markerPattern.exec(line.trim())?.[1];
  return url !== undefined && isChatImage(url) ? url : null;
};

/**
 * Text, then lines `[IMAGE:url]`, the format of messages of type mixed. Only the lines at the end that hold the
 * address of a chat image of ours are markers (A93): everything else that looks like one is text that somebody typed.
 * White space beside a marker does not hide it: a text that is trimmed later would otherwise show an image that nobody
 * has checked.
 */
export const parseImageMarkers = (content: string): MixedContent => {
  const imageUrls: string[] = [];
  let text = content;
  for (;;) {
    const rest = text.trimEnd();
    const start = rest.lastIndexOf('\n') + 1;
    const url = imageUrlOfLine(rest.slice(start));
    if (url === null) return { text, imageUrls };
    imageUrls.unshift(url);
    text = rest.slice(0, Math.max(0, start - 1));
  }
};

/** The content of a mixed message, as `parseImageMarkers` takes it apart. */
export const withImageMarkers = ({ text, imageUrls }: MixedContent): string =>
  [text, ...imageUrls.map((url) => `[IMAGE:${url}]`)].join('\n');

/** The images that a message shows: none in a text, whatever it says; one in an image; any number in a mixed one. */
export const imageUrlsOf = (messageType: MessageType, content: string): string[] => {
  switch (messageType) {
    case 'text':
      return [];
    case 'image':
      return isChatImage(content) ? [content] : [];
    case 'mixed':
      return parseImageMarkers(content).imageUrls;
    default:
      return messageType satisfies never;
  }
};
