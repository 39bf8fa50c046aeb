/**
 * How Node runs a replica; Dockerfile.backend has the same, and a test compares the two.
 *
 * A live chat is kept in memory for as long as it lasts, and each of its messages leaves some other garbage behind.
 * So new objects get room to die young in, and old ones are looked through only when there are twice as many as
 * last time. V8 would shrink both whenever a replica has been quiet for some seconds, and pay for it in the next
 * burst: with pauses of a tenth of a second, and half as much CPU per message.
 */
export const replicaNodeFlags = [
  '--min-semi-space-size=4',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--no-memory-reducer',
];
