/**
 * Flags of Node for an api replica (an api process). Dockerfile.backend repeats them, and a test compares the two.
 *
 * Live chats stay on the heap until they end, while every message leaves short-lived garbage. A large young generation
 * collects that garbage cheaply, and 100 % heap growth delays major collections until the old generation has doubled.
 * V8's memory reducer would shrink both generations after some idle seconds; the next burst of messages would then
 * cause pauses of 100 ms and cost 50 % more CPU per message. Decision 0010 in docs/decisions has the measurements.
 */
export const replicaNodeFlags = [
  // In MB. The young generation consists of three semi-spaces.
  '--min-semi-space-size=4',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--no-memory-reducer',
];
