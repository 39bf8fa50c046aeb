import type { MessageType } from './scalars.js';
import { parseUploadUrl } from './uploads.js';

/** The parsed content of a message of type mixed: its text, and the URLs of its images in order. */
export interface MixedContent {
  text: string;
  imageUrls: string[];
}

const markerPattern = /^\[IMAGE:([^\]]+)\]$/;

const isChatImageUrl = (url: string): boolean => parseUploadUrl(url)?.bucket === 'chat-images';

/** Returns the URL of a marker; null if the line is not the marker of a chat image. */
const parseMarkerLine = (line: string): string | null => {
  const url = markerPattern.exec(line.trim())?.[1];
  return url !== undefined && isChatImageUrl(url) ? url : null;
};

/**
 * Splits the content of a message of type mixed: text, followed by lines of the form `[IMAGE:url]`.
 *
 * Only trailing lines with the URL of a chat image on this server are markers; anything else that looks like a marker
 * is text that the sender typed. White space around a marker is ignored: if ` [IMAGE:url]` were text, `checkContent`
 * would trim it and thereby make it a marker.
 * @param content  the content as stored or received
 * @returns the text above the markers, and the URLs in order; no URLs when there is no marker
 */
export const parseImageMarkers = (content: string): MixedContent => {
  const imageUrls: string[] = [];
  let text = content;
  // Removes the last line while it is a marker.
  for (;;) {
    const trimmed = text.trimEnd();
    const lastLineStart = trimmed.lastIndexOf('\n') + 1;
    const url = parseMarkerLine(trimmed.slice(lastLineStart));
    if (url === null) return { text, imageUrls };
    imageUrls.unshift(url);
    // Also removes the line feed before the marker. A marker on the first line has none.
    text = trimmed.slice(0, Math.max(0, lastLineStart - 1));
  }
};

/** The inverse of `parseImageMarkers`: the text, followed by one marker line per image. */
export const formatImageMarkers = ({ text, imageUrls }: MixedContent): string =>
  [text, ...imageUrls.map((url) => `[IMAGE:${url}]`)].join('\n');

/**
 * Lists the URLs of the images that a message shows.
 * @returns no URL for a text message; the content of an image message if it is the URL of a chat image; the URLs of
 *   all markers of a mixed message
 */
export const listImageUrls = (messageType: MessageType, content: string): string[] => {
  switch (messageType) {
    case 'text':
      return [];
    case 'image':
      return isChatImageUrl(content) ? [content] : [];
    case 'mixed':
      return parseImageMarkers(content).imageUrls;
    default:
      return messageType satisfies never;
  }
};
