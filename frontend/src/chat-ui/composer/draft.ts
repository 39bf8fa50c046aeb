import * as z from 'zod/mini';
import { parseJson } from '@/lib/parse-json';

const draftSchema = z.object({
  text: z.string(),
  /** Id of the message being replied to. */
  replyToId: z.nullable(z.string()),
  /** A picture was attached; it is held in memory only. */
  hasPicture: z.boolean(),
});

/** Unsent content of a composer. */
export type Draft = z.infer<typeof draftSchema>;

export const createCaseDraft: Draft = { text: '', replyToId: null, hasPicture: false };

export const isEmptyDraft = ({ text, replyToId, hasPicture }: Draft): boolean =>
  text === '' && replyToId === null && !hasPicture;

export const parseDraft = (stored: string | null): Draft => parseJson(draftSchema, stored) ?? createCaseDraft;

/** Puts a message returned by the outbox in front of the draft. */
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
  onOtherTabChange?: (listen: () => void) => () => void;
}
