import { Command } from 'ioredis';

/**
 * A timer that deviates from its delay by more than this shows that the event loop was blocked. A block while the timer
 * is pending makes it late. A block before it is set, in the same iteration, makes it early, because Node counts the
 * delay from the start of the iteration.
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
    // After a block, Node runs the due timers before it reads from the sockets, and callbacks of setImmediate after
    // that. By then, a response that has arrived in time has settled the command.
    setImmediate(() => {
      if (command.isSettled) return;
      const wasBlocked = Math.abs(performance.now() - startedAt - ms) > MAX_TIMER_DEVIATION_MS;
      if (wasBlocked && !isExtended) startTimeout(command, ms, true);
      else command.reject(new Error('Command timed out'));
    });
  }, ms);
};
