import type { HouseRule } from '@thaw/contract/safety';

interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

/**
 * `imageId`: an id from the sequence `conduct_ids`. `dhash` is the difference hash, for near matches; null in events of
 * earlier releases, and for pictures without structure.
 */
export type ImageBlocked = RecordedEvent<
  'ImageBlocked',
  {
    imageId: number;
    sha256: string;
    dhash: string | null;
    rule: HouseRule;
    caseId: number | null;
    moderatorId: number;
  }
>;
export type ImageUnblocked = RecordedEvent<
  'ImageUnblocked',
  { imageId: number; sha256: string; moderatorId: number }
>;

/** All events of one image, in the stream `image-<SHA-256 of what was sent, in hex>`. */
export type ImageBlockEvent = ImageBlocked | ImageUnblocked;

export const buildImageStreamId = (sha256: string): string => `image-${sha256}`;
