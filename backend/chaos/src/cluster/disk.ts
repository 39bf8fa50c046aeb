import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync } from 'node:fs';

/** Size of the disk while it is not filled: more than a run writes. */
const UNFILLED_SIZE = '4g';

/** The disk of PostgreSQL, which can be filled. */
export interface Disk {
  /** Why the disk cannot be filled on this machine; undefined when it can be. */
  readonly unavailableReason: string | undefined;
  mount(): void;
  /** Makes every further allocation of space fail. */
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
export const createDisk = (mountPoint: string): Disk => {
  let unavailableReason: string | undefined = 'it is not mounted yet';
  return {
    get unavailableReason() {
      return unavailableReason;
    },
    mount() {
      if (!existsSync(mountPoint)) mkdirSync(mountPoint, { recursive: true });
      unavailableReason = run(
        'mount',
        '-t',
        'tmpfs',
        '-o',
        `size=${UNFILLED_SIZE},mode=0755`,
        'thaw-chaos',
        mountPoint,
      );
    },
    fill() {
      const { blocks, bfree, bsize } = statfsSync(mountPoint);
      const problem = run('mount', '-o', `remount,size=${(blocks - bfree) * bsize}`, mountPoint);
      if (problem) throw new Error(`The disk could not be filled: ${problem}`);
    },
    free() {
      const problem = run('mount', '-o', `remount,size=${UNFILLED_SIZE}`, mountPoint);
      if (problem) throw new Error(`The disk could not be freed: ${problem}`);
    },
    unmount() {
      if (unavailableReason === undefined) run('umount', '--lazy', mountPoint);
      unavailableReason = 'it is not mounted';
    },
  };
};
