import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync } from 'node:fs';

/** Size of the disk while it is not filled. A run writes less. */
const UNFILLED_SIZE = '4g';

/** The disk of PostgreSQL, which can be filled. */
export interface Disk {
  /** Why the disk cannot be filled on this machine; undefined when it can be. */
  readonly unavailableReason: string | undefined;
  /** Does not throw: when the mount fails, `unavailableReason` is its error. */
  mount(): void;
  /** Makes every further allocation of space fail. @throws Error when the size of the disk cannot be changed */
  fill(): void;
  /** Undoes `fill`. @throws Error when the size of the disk cannot be changed */
  free(): void;
  /** Called when the cluster has stopped, so a failure of `umount` is ignored. */
  unmount(): void;
}

/** @returns the error message; undefined when the command succeeded */
const run = (command: string, ...args: string[]): string | undefined => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr).trim() || `${command} failed`;
};

/** Creates a disk that is a tmpfs at `mountPoint`. `fill` shrinks the tmpfs to its used size. */
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
      const usedBytes = (blocks - bfree) * bsize;
      const error = run('mount', '-o', `remount,size=${usedBytes}`, mountPoint);
      if (error) throw new Error(`The disk could not be filled: ${error}`);
    },
    free() {
      const error = run('mount', '-o', `remount,size=${UNFILLED_SIZE}`, mountPoint);
      if (error) throw new Error(`The disk could not be freed: ${error}`);
    },
    unmount() {
      if (unavailableReason === undefined) run('umount', '--lazy', mountPoint);
      unavailableReason = 'it is not mounted';
    },
  };
};
