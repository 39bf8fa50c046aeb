import type { HouseRule } from '@thaw/contract/safety';

interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

export type ImageBlocked = RecordedEvent<
  'ImageBlocked',
  {
    /**
     * Despite the name, the id of this block, from the sequence `conduct_ids`: a later block of the same image has
     * another one. The field cannot be renamed, because stored events contain it.
     */
    imageId: number;
    /** SHA-256 of the file as it was uploaded, in hex. */
    sha256: string;
    /**
     * Difference hash in hex, by which near copies are found; null if not known, or for pictures without structure,
     * such as a plain colour.
     */
    dhash: string | null;
    rule: HouseRule;
    caseId: number | null;
    moderatorId: number;
  }
>;
export type ImageUnblocked = RecordedEvent<
  'ImageUnblocked',
  {
    /** Id of the block that ended. */
    imageId: number;
    sha256: string;
    moderatorId: number;
  }
>;

/** All events of one image, in the stream `image-<SHA-256 of the uploaded file, in hex>`. */
export type ImageBlockEvent = ImageBlocked | ImageUnblocked;

export const buildImageStreamId = (sha256: string): string => `image-${sha256}`;
