import { evidenceSchema, type Evidence } from '@thaw/contract/moderation';

/** An image of evidence with the key of its file, which only the server knows. */
export interface EvidenceImage {
  imageId: number;
  key: string;
}

/**
 * @returns the evidence as it is shown, without the keys of files; null for a text that is no evidence, or was erased.
 */
export const toShownEvidence = (stored: unknown): Evidence | null => {
  const parsed = evidenceSchema.safeParse(parseJson(stored));
  // Parsing drops the fields that the schema does not name.
  return parsed.success ? parsed.data : null;
};

/** The images of the evidence that have a file. */
export const listEvidenceImages = (stored: unknown): EvidenceImage[] => {
  const { messages } = (parseJson(stored) ?? {}) as { messages?: { images?: Partial<EvidenceImage>[] }[] };
  return (messages ?? []).flatMap(({ images }) =>
    (images ?? []).flatMap(({ imageId, key }) =>
      typeof imageId === 'number' && typeof key === 'string' ? [{ imageId, key }] : [],
    ),
  );
};

const parseJson = (text: unknown): unknown => {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};
