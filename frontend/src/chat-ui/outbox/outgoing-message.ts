import { withImageMarkers } from '@thaw/contract/image-markers';
import { replyToSchema } from '@thaw/contract/random-chat';
import { clientIdSchema, messageTypeSchema } from '@thaw/contract/scalars';
import * as z from 'zod/mini';
import { type Attachment } from '@/chat-ui/composer/attachment';
import { parseJson } from '@/lib/parse-json';
import { tabStorage } from '@/lib/storage';

const stateSchema = z.enum([
  /** The picture is being uploaded. */
  'uploading',
  'sending',
  /** No response, or reconnecting was given up: sent again automatically on the next connection. */
  'unanswered',
  /** Waits for Retry or Delete. */
  'refused',
  'upload_failed',
]);

const storedSchema = z.object({
  clientId: clientIdSchema,
  /** Id of a chat session, or of a friend. */
  conversationId: z.string(),
  /** The content as sent; only the caption while `picture` is present. */
  content: z.string(),
  type: messageTypeSchema,
  replyTo: z.nullable(replyToSchema),
  /** When it was written, in ms since the epoch. */
  at: z.number(),
  state: stateSchema,
});

/** A message written while connected that is not yet known to be stored. */
export type OutgoingMessage = z.infer<typeof storedSchema> & {
  picture?: Attachment & { percent: number };
};

/** The content as the server expects it, once the picture is uploaded. */
export const toWireContent = ({ content, picture }: OutgoingMessage): string => {
  if (!picture) return content;
  const url = picture.url ?? '';
  return content === '' ? url : withImageMarkers({ text: content, imageUrls: [url] });
};

/**
 * Unsent messages kept over a reload, in session storage: each tab has its own. A message whose
 * picture was not uploaded is kept without it; its state is then that of an upload that failed or was cut off.
 */
export const readOutgoing = (key: string): OutgoingMessage[] =>
  parseJson(z.array(storedSchema), tabStorage.read(key)) ?? [];

/**
 * The message as it is stored. The URL of an uploaded picture becomes part of the content; another picture is dropped.
 */
const toStored = (message: OutgoingMessage): OutgoingMessage => {
  const { picture, ...stored } = message;
  return picture?.url ? { ...stored, content: toWireContent(message) } : stored;
};

export const writeOutgoing = (key: string, messages: readonly OutgoingMessage[]): void => {
  if (messages.length === 0) tabStorage.remove(key);
  // If storage fails, the messages stay in memory.
  else tabStorage.write(key, JSON.stringify(messages.map(toStored)));
};
