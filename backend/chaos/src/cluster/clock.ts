import { existsSync, readdirSync, writeFileSync } from 'node:fs';

const LIBRARY = 'libfaketimeMT.so.1';

/** The clock of one replica, which can be shifted while the replica runs. */
export interface Clock {
  /** Why the clock cannot be shifted on this machine; undefined when it can be. */
  readonly unavailableReason: string | undefined;
  /** Environment variables with which the replica must be started. */
  readonly env: Record<string, string>;
  /** Sets the clock of the replica to the real time plus `offsetS` seconds. */
  set(offsetS: number): void;
}

/** Debian installs the library in /usr/lib/<architecture>/faketime. */
const findLibrary = (): string | undefined => {
  const folders = existsSync('/usr/lib')
    ? readdirSync('/usr/lib', { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  return folders.map(({ name }) => `/usr/lib/${name}/faketime/${LIBRARY}`).find((file) => existsSync(file));
};

/** Uses Debian's libfaketime, which rereads the offset (in seconds) from a file every second. */
export const createClock = (offsetFile: string): Clock => {
  const library = findLibrary();
  const set = (offsetS: number): void =>
    writeFileSync(offsetFile, `${offsetS < 0 ? '-' : '+'}${Math.abs(offsetS)}\n`);
  // Without the library, no run contains a fault of the clock, so `set` is not called.
  if (!library) return { unavailableReason: `${LIBRARY} was not found: install faketime`, env: {}, set };
  set(0);
  return {
    unavailableReason: undefined,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_CACHE_DURATION: '1',
      // Timers use the monotonic clock, which does not jump when the clock of a real machine is set.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
};
