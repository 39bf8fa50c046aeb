import { replaceContactDetails } from '@thaw/contract/contact-details';
import { parseImageMarkers } from '@thaw/contract/image-markers';
import type { MessageType } from '@thaw/contract/scalars';
import { suggestionLimits } from '@thaw/contract/suggestions';
import { findTopics } from '@thaw/contract/topics';

/** A message in its newest version. `content` is absent when the message was deleted or has expired. */
export interface ChatMessage {
  senderId: number;
  messageType: MessageType;
  content?: string | undefined;
}

export interface Conversation {
  /** Oldest first. */
  messages: readonly ChatMessage[];
  /** Names of both users. */
  usernames: readonly string[];
}

export interface PromptMessage {
  role: 'system' | 'user';
  content: string;
}

/** The model receives at most this number of texts of the asker, the user who requests suggestions. */
const MAX_ASKER_TEXTS = 5;
/** Replaces contact details and names. */
const HIDDEN = '[hidden]';
/** The requested length is shorter than the limit by this number, since models count characters inexactly. */
const LENGTH_MARGIN = 20;

const INSTRUCTIONS = [
  'You suggest what one user could write next in an anonymous chat between two adult strangers.',
  `Answer with exactly ${suggestionLimits.count} suggestions, one on each line, without numbers, quotes or explanations,`,
  `each shorter than ${suggestionLimits.maxCodePoints - LENGTH_MARGIN} characters, in the language of the user's messages.`,
  'Suggest friendly, open questions. Never ask for names, ages, places of residence, contact details or pictures,',
  'and suggest nothing sexual.',
].join(' ');

/** The text of a message on one line, since a message is one line of the prompt; empty for an image. */
const readText = ({ messageType, content = '' }: ChatMessage): string => {
  if (messageType === 'image') return '';
  return (messageType === 'mixed' ? parseImageMarkers(content).text : content).replace(/\s+/g, ' ').trim();
};

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Hides the names where they are whole words, without regard to case. */
const hideNames = (text: string, usernames: readonly string[]): string => {
  // An empty name would match everywhere.
  const namePatterns = usernames.filter((name) => name !== '').map(escapeForPattern);
  if (namePatterns.length === 0) return text;
  return text.replace(
    new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${namePatterns.join('|')})(?![\p{L}\p{N}])`, 'giu'),
    HIDDEN,
  );
};

/**
 * Builds the prompt from a conversation: the asker's newest texts without contact details and names, and the topics of
 * the other user's texts. The model never receives words of the other user.
 */
export const createPrompt = (askerId: number, { messages, usernames }: Conversation): PromptMessage[] => {
  const askerTexts = messages
    .filter(({ senderId }) => senderId === askerId)
    .map(readText)
    .filter((text) => text !== '')
    .slice(-MAX_ASKER_TEXTS);
  const otherTexts = messages.filter(({ senderId }) => senderId !== askerId).map(readText);
  const topics = findTopics(otherTexts);
  const lines = [
    askerTexts.length === 0 ? 'I have not written anything yet.' : 'My last messages, oldest first:',
    ...askerTexts.map((text) => `- ${hideNames(replaceContactDetails(text, HIDDEN), usernames)}`),
  ];
  if (topics.length > 0) lines.push(`Topics of the other user: ${topics.join(', ')}.`);
  return [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: lines.join('\n') },
  ];
};
