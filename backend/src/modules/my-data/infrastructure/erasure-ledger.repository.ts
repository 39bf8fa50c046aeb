import { text } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { ERASURES_BUCKET } from '../../../platform/storage/storage.module';

/** A requested erasure, as it is stored outside the database. It identifies the user only by id. */
export interface LedgerEntry {
  erasureId: string;
  userId: number;
  requestedAt: string;
}

/**
 * The ledger of erasures: one file per erasure, stored outside the database. After a backup is restored, the ledger
 * still has the erasures that the backup lacks.
 */
@Injectable()
export class ErasureLedgerRepository {
  constructor(@Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort) {}

  /** Writes an entry. Idempotent. @throws DomainError unavailable */
  async write(entry: LedgerEntry): Promise<void> {
    await this.storage.put(
      getObjectAddress(entry.erasureId),
      Buffer.from(JSON.stringify(entry)),
      'application/json',
    );
  }

  /** Yields the ids of all entries. @throws DomainError unavailable */
  async *list(): AsyncGenerator<string> {
    for await (const key of this.storage.list(ERASURES_BUCKET))
      if (key.endsWith(SUFFIX)) yield key.slice(PREFIX.length, -SUFFIX.length);
  }

  async read(erasureId: string): Promise<LedgerEntry | null> {
    const file = await this.storage.open(getObjectAddress(erasureId));
    return file && (JSON.parse(await text(file.content)) as LedgerEntry);
  }
}

/** Ids may begin with a dash, but keys of the storage may not. */
const PREFIX = 'erasure.';
const SUFFIX = '.json';
const getObjectAddress = (erasureId: string) => ({
  bucket: ERASURES_BUCKET,
  key: `${PREFIX}${erasureId}${SUFFIX}`,
});
