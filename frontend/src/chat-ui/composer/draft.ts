import * as z from 'zod/mini';
import { parseJson } from '@/lib/parse-json';

const draftSchema = z.object({
  text: z.string(),
  /** Id of the message being replied to. */
  replyToId: z.nullable(z.string()),
  /** Whether a picture was attached. The picture itself is only in memory. */
  hasPicture: z.boolean(),
});

/** The unsent content of a composer, as it is stored. */
export type Draft = z.infer<typeof draftSchema>;

export const emptyDraft: Draft = { text: '', replyToId: null, hasPicture: false };

export const isEmptyDraft = ({ text, replyToId, hasPicture }: Draft): boolean =>
  text === '' && replyToId === null && !hasPicture;

/** @returns the stored draft, or an empty one if the stored text is null or invalid */
export const parseDraft = (stored: string | null): Draft => parseJson(draftSchema, stored) ?? emptyDraft;

/** Puts a message that was returned unsent in front of the draft. If both are replies, the draft's reply is kept. */
export const prependReturned = (
  draft: Draft,
  { text, replyTo }: { text: string; replyTo: { messageId: string } | null },
): Draft => ({
  ...draft,
  text: [text, draft.text].filter(Boolean).join('\n'),
  replyToId: draft.replyToId ?? replyTo?.messageId ?? null,
});

/** Storage of a conversation's draft. The functions must be stable between renders. */
export interface DraftStorage {
  read: () => Draft;
  write: (draft: Draft) => void;
  /** Subscribes to changes made in another tab; returns the unsubscribe function. */
  onOtherTabChange?: (listener: () => void) => () => void;
}
