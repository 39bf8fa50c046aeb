import type { HouseRule } from '@thaw/contract/safety';

interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
  /** SHA-256 of the file as it was uploaded, in hex. */
  sha256: string;
  moderatorId: number;
}

export type BlockImage = Command<'BlockImage'> & {
  /** Id of the new block, from the sequence `conduct_ids`; unused if the image is blocked already. */
  imageId: number;
  /** Difference hash, by which near copies are found; null when it is not known or the picture is too uniform. */
  dhash: string | null;
  rule: HouseRule;
  /** The case whose decision blocks the image; null for a block outside a case. */
  caseId: number | null;
};
export type UnblockImage = Command<'UnblockImage'> & {
  /** Id of the block to end. */
  imageId: number;
};

export type ImageBlockCommand = BlockImage | UnblockImage;
