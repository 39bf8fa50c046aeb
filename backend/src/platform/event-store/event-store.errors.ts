/** The stream is not at the version that the caller expected. Nothing was appended. */
export class StreamVersionConflictError extends Error {
  constructor(
    readonly streamId: string,
    /** `any` accepts every version: the conflict is then with a concurrent append, which has taken the position. */
    readonly expected: number | 'none' | 'any',
  ) {
    super(`Stream ${streamId} is not at the expected version: ${expected}`);
    this.name = 'StreamVersionConflictError';
  }
}

/** An event type, or a version of one, that this build does not declare: a newer release has written it. */
export class UnknownEventError extends Error {
  constructor(type: string, version?: number) {
    super(
      version === undefined
        ? `Event type ${type} is not declared`
        : `Version ${version} of ${type} is not known`,
    );
    this.name = 'UnknownEventError';
  }
}
