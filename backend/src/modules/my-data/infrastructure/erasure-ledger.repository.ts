import { text } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { ERASURES_BUCKET } from '../../../platform/storage/storage.module';

/** A request for an erasure, as it is kept outside the database. Contains ids only. */
export interface LedgerEntry {
  erasureId: string;
  userId: number;
  requestedAt: string;
}

/** The ledger of erasures: files beside the database, so that a restored backup does not forget them. */
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

/** A key may not begin with a dash, which an id may. */
const PREFIX = 'erasure.';
const SUFFIX = '.json';
const getObjectAddress = (erasureId: string) => ({
  bucket: ERASURES_BUCKET,
  key: `${PREFIX}${erasureId}${SUFFIX}`,
});
