import { evidenceSchema, type Evidence } from '@thaw/contract/moderation';

/** An image of evidence, with the storage key of its file, which is never sent to clients. */
export interface EvidenceImage {
  imageId: number;
  key: string;
}

/**
 * @param stored the field `evidence` of a stored event: JSON, or absent after its erasure
 * @returns the evidence without the storage keys of its files; null when it was erased or is not valid evidence
 */
export const toShownEvidence = (stored: unknown): Evidence | null => {
  const parsed = evidenceSchema.safeParse(parseJson(stored));
  // Parsing removes the keys: the schema does not contain them.
  return parsed.success ? parsed.data : null;
};

/**
 * Lists the images in the evidence. The JSON is not validated, so an image without an id or a key is left out.
 * @param stored as for `toShownEvidence`
 */
export const listEvidenceImages = (stored: unknown): EvidenceImage[] => {
  const { messages } = (parseJson(stored) ?? {}) as { messages?: { images?: Partial<EvidenceImage>[] }[] };
  return (messages ?? []).flatMap(({ images }) =>
    (images ?? []).flatMap(({ imageId, key }) =>
      typeof imageId === 'number' && typeof key === 'string' ? [{ imageId, key }] : [],
    ),
  );
};

/** @returns the parsed JSON; null when there is no text or it is not JSON */
const parseJson = (text: unknown): unknown => {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};
