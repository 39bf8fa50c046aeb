import { Command } from 'ioredis';

// An iteration of Node's event loop first runs the timers that are due, then reads from the sockets, then runs the
// callbacks of `setImmediate`. Node counts the delay of a timer from the start of the iteration that sets it.

/**
 * If the time between setting a timer and running it differs from its delay by more than this, a callback has blocked
 * the event loop. A block after the timer was set makes it run too late. A block before that, in the same iteration,
 * makes it run too early, because the delay includes this block.
 */
const MAX_TIMER_DEVIATION_MS = 50;

/** `_commandTimeoutTimer` is private in ioredis, which clears the timer when the command is settled. */
type TimedCommand = Pick<Command, 'isSettled' | 'reject'> & { _commandTimeoutTimer?: NodeJS.Timeout };

/**
 * Replaces the command time-out of ioredis, which ignores that the event loop may be blocked: it also rejects a command
 * whose response arrived in time during the block, and a command that was only sent after the block.
 */
export const replaceCommandTimeout = (): void => {
  Command.prototype.setTimeout = function (ms: number): void {
    const command = this as unknown as TimedCommand;
    // ioredis calls this again when it sends a command that has waited for a connection. The first time-out continues.
    if (!command._commandTimeoutTimer) startTimeout(command, ms);
  };
};

/**
 * Starts the time-out of a command. If the event loop was blocked meanwhile, for example by a garbage collection, the
 * time-out is extended once by its full length.
 */
const startTimeout = (command: TimedCommand, ms: number, isExtended = false): void => {
  const startedAt = performance.now();
  command._commandTimeoutTimer = setTimeout(() => {
    // `setImmediate` waits until Node has read from the sockets, so a response that arrived during a block settles the
    // command first.
    setImmediate(() => {
      if (command.isSettled) return;
      const wasBlocked = Math.abs(performance.now() - startedAt - ms) > MAX_TIMER_DEVIATION_MS;
      if (wasBlocked && !isExtended) startTimeout(command, ms, true);
      else command.reject(new Error('Command timed out'));
    });
  }, ms);
};
