import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync } from 'node:fs';

const SIZE = '4g';

/** The disk of PostgreSQL, which can be filled. */
export interface Disk {
  /** Why the disk cannot be filled on this machine; undefined when it can be. */
  readonly unavailableReason: string | undefined;
  mount(): void;
  /** Leaves no room for another page. */
  fill(): void;
  free(): void;
  unmount(): void;
}

/** @returns the error message; undefined when the command succeeded. */
const run = (command: string, ...args: string[]): string | undefined => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr).trim() || `${command} failed`;
};

/** A tmpfs mounted at a folder. Filling shrinks it to its used size. */
export const createDisk = (place: string): Disk => {
  let unavailableReason: string | undefined = 'it is not mounted yet';
  return {
    get unavailableReason() {
      return unavailableReason;
    },
    mount() {
      if (!existsSync(place)) mkdirSync(place, { recursive: true });
      unavailableReason = run('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'thaw-chaos', place);
    },
    fill() {
      const { blocks, bfree, bsize } = statfsSync(place);
      const problem = run('mount', '-o', `remount,size=${(blocks - bfree) * bsize}`, place);
      if (problem) throw new Error(`The disk could not be filled: ${problem}`);
    },
    free() {
      const problem = run('mount', '-o', `remount,size=${SIZE}`, place);
      if (problem) throw new Error(`The disk could not be freed: ${problem}`);
    },
    unmount() {
      if (unavailableReason === undefined) run('umount', '--lazy', place);
      unavailableReason = 'it is not mounted';
    },
  };
};
