import { formatImageMarkers } from '@thaw/contract/image-markers';
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
  /** There was no response, or the socket client stopped reconnecting. The next connection sends the message again. */
  'unanswered',
  /** The server refused the message: it waits for Retry or Delete. */
  'refused',
  /** The picture could not be uploaded: the message waits for Retry or Remove. */
  'upload_failed',
]);

const storedSchema = z.object({
  clientId: clientIdSchema,
  /** Id of the session of a random chat, or of the friend in a private chat. */
  conversationId: z.string(),
  /** What is sent. While `picture` is present, only the caption. */
  content: z.string(),
  type: messageTypeSchema,
  replyTo: z.nullable(replyToSchema),
  /** When the message was written, in ms since the epoch. */
  at: z.number(),
  state: stateSchema,
});

type StoredMessage = z.infer<typeof storedSchema>;

/** A message of the user that the server has not acknowledged yet. */
export type OutgoingMessage = StoredMessage & {
  /** `percent`: the progress of the upload. */
  picture?: Attachment & { percent: number };
};

/** Returns the content as the server expects it. Call this only after the picture, if any, was uploaded. */
export const toWireContent = ({ content, picture }: OutgoingMessage): string => {
  if (!picture) return content;
  const url = picture.url ?? ''; // null only before the upload
  return content === '' ? url : formatImageMarkers({ text: content, imageUrls: [url] });
};

/**
 * Reads the unsent messages that were kept across a reload. They are in session storage, so each tab has its own. Those
 * in the states `uploading` and `upload_failed` have lost their picture.
 * @returns no messages if the stored text is invalid
 */
export const readOutgoing = (key: string): OutgoingMessage[] =>
  parseJson(z.array(storedSchema), tabStorage.read(key)) ?? [];

/** Moves the URL of an uploaded picture to the content. A picture that is not uploaded is not stored. */
const toStored = (message: OutgoingMessage): StoredMessage => {
  const { picture, ...stored } = message;
  const isUploaded = Boolean(picture?.url);
  return isUploaded ? { ...stored, content: toWireContent(message) } : stored;
};

/** If storage fails, the messages are only in memory. */
export const writeOutgoing = (key: string, messages: readonly OutgoingMessage[]): void => {
  if (messages.length === 0) tabStorage.remove(key);
  else tabStorage.write(key, JSON.stringify(messages.map(toStored)));
};
