/** The reason why there is no usable answer. Its message never quotes sent or received data, so it may be logged. */
export class OptionalServerError extends Error {
  override readonly name = 'OptionalServerError';
}
