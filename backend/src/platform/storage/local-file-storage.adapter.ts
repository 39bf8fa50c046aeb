import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import {
  type FileAddress,
  type FileStoragePort,
  requireSafeAddress,
  type StoredFile,
} from './file-storage.port';

/** Folder for files being written. No bucket can have this name, because bucket names do not start with a dot. */
const UNFINISHED_FOLDER = '.unfinished';
/** An unfinished file of this age comes from a process that died: no `put` takes so long. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** Stores files in a folder of this machine, which all replicas on the machine share. */
export class LocalFileStorageAdapter implements FileStoragePort {
  private readonly logger = new Logger(LocalFileStorageAdapter.name);
  private readonly root: string;
  /** The folder for files being written, once it is prepared. Undefined before the first `put` and after a failure. */
  private unfinishedFolder: Promise<string> | undefined;

  constructor(folder: string) {
    this.root = path.resolve(folder);
  }

  /** Nothing to prepare: folders are created with their first file. */
  async prepare(): Promise<void> {}

  /** Nothing to check: a missing folder is no error. */
  async check(): Promise<void> {}

  put(address: FileAddress, content: Buffer): Promise<void> {
    const target = this.resolvePath(address);
    return this.throwUnavailableOnFailure(async () => {
      this.unfinishedFolder ??= this.prepareUnfinishedFolder();
      const unfinished = path.join(await this.unfinishedFolder, randomUUID());
      await mkdir(path.dirname(target), { recursive: true });
      try {
        // A rename is atomic, so a reader never opens a partial file.
        await writeDurably(unfinished, content);
        await rename(unfinished, target);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      await syncFolder(path.dirname(target));
    });
  }

  open(address: FileAddress): Promise<StoredFile | null> {
    const target = this.resolvePath(address);
    return this.throwUnavailableOnFailure(async () => {
      const file = await open(target, 'r').catch(toNullIfMissing);
      if (!file) return null;
      const stats = await file.stat();
      if (!stats.isFile()) {
        await file.close();
        return null;
      }
      return { size: stats.size, content: file.createReadStream() };
    });
  }

  remove(address: FileAddress): Promise<void> {
    const target = this.resolvePath(address);
    return this.throwUnavailableOnFailure(() => rm(target, { force: true }));
  }

  async *list(bucket: string): AsyncGenerator<string> {
    const folder = path.join(this.root, bucket);
    const names = await this.throwUnavailableOnFailure(() =>
      readdir(folder, { recursive: true }).catch(toNullIfMissing),
    );
    for (const name of names ?? []) {
      // Null when the file was removed since the folder was read.
      const stats = await this.throwUnavailableOnFailure(() =>
        stat(path.join(folder, name)).catch(toNullIfMissing),
      );
      if (stats?.isFile()) yield name.split(path.sep).join('/');
    }
  }

  async close(): Promise<void> {
    await this.unfinishedFolder;
  }

  private resolvePath(address: FileAddress): string {
    requireSafeAddress(address);
    const target = path.join(this.root, address.bucket, ...address.key.split('/'));
    // A second check, in case `requireSafeAddress` has missed an unsafe address.
    if (!target.startsWith(this.root + path.sep)) throw new Error('Not the address of a file');
    return target;
  }

  /** Creates the folder if it is missing, and removes abandoned files from it. @returns its path */
  private async prepareUnfinishedFolder(): Promise<string> {
    const folder = path.join(this.root, UNFINISHED_FOLDER);
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) {
      const file = path.join(folder, name);
      // Null when another replica has finished or removed the file.
      const stats = await stat(file).catch(toNullIfMissing);
      const isAbandoned = stats !== null && stats.mtimeMs < Date.now() - ABANDONED_AFTER_MS;
      if (isAbandoned) await rm(file, { force: true });
    }
    return folder;
  }

  private async throwUnavailableOnFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // Lets the next `put` prepare this folder again, in case it was deleted or its preparation failed.
      this.unfinishedFolder = undefined;
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      this.logger.error(`Access to the folder of files failed: ${code}`);
      throw new DomainError('unavailable');
    }
  }
}

const writeDurably = async (file: string, content: Buffer): Promise<void> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The entry of a new file in its folder is durable only after an fsync of the folder. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const toNullIfMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
};
