/** Why there is no answer. Its message never quotes what was sent or received, so it may be logged. */
export class OptionalServerError extends Error {
  override readonly name = 'OptionalServerError';
}
