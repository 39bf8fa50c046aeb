import * as z from 'zod/mini';
import { parseJson } from '@/lib/parse-json';

const draftSchema = z.object({
  text: z.string(),
  /** The message that is being answered. */
  replyToId: z.nullable(z.string()),
  /** A picture was attached, which only the page itself can hold. */
  hasPicture: z.boolean(),
});

/** What was begun in a composer and not sent. */
export type Draft = z.infer<typeof draftSchema>;

export const emptyDraft: Draft = { text: '', replyToId: null, hasPicture: false };

export const isEmptyDraft = ({ text, replyToId, hasPicture }: Draft): boolean =>
  text === '' && replyToId === null && !hasPicture;

export const parseDraft = (stored: string | null): Draft => parseJson(draftSchema, stored) ?? emptyDraft;

/** With what came back from the outbox in front. */
export const withReturned = (
  draft: Draft,
  { text, replyTo }: { text: string; replyTo: { messageId: string } | null },
): Draft => ({
  ...draft,
  text: [text, draft.text].filter(Boolean).join('\n'),
  replyToId: draft.replyToId ?? replyTo?.messageId ?? null,
});

/** Where a conversation keeps its draft; the same functions at every render. */
export interface DraftKeeper {
  read: () => Draft;
  keep: (draft: Draft) => void;
  /** Subscribes to changes that another tab makes. */
  onOutsideChange?: (listen: () => void) => () => void;
}
