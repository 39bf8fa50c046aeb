import type { HouseRule } from '@thaw/contract/safety';

interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
  /** In hex, of the file as it was sent. */
  sha256: string;
  moderatorId: number;
}

export type BlockImage = Command<'BlockImage'> & {
  /** Number of the block, if the image is not blocked yet. */
  imageId: number;
  /** Difference hash, for near matches; null when it is not known. */
  dhash: string | null;
  rule: HouseRule;
  caseId: number | null;
};
export type UnblockImage = Command<'UnblockImage'> & {
  /** Number of the block that ends. */
  imageId: number;
};

export type ImageBlockCommand = BlockImage | UnblockImage;
