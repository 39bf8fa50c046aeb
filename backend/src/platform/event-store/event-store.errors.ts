/** The stream is not at the version that the caller decided upon. Nothing was appended. */
export class StreamVersionConflict extends Error {
  constructor(
    readonly streamId: string,
    readonly expected: number | 'none' | 'any',
  ) {
    super(`Stream ${streamId} is not at version ${expected}`);
    this.name = 'StreamVersionConflict';
  }
}
