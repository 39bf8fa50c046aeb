import {
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { uploadBucketSchema } from '@thaw/contract/uploads';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { FILE_STORAGE_PORT, type FileStoragePort } from './file-storage.port';
import { LocalFileStorageAdapter } from './local-file-storage.adapter';
import { S3FileStorageAdapter } from './s3-file-storage.adapter';

/**
 * The bucket that lists the ids of erased users. It is outside the database, because a restored backup may contain some
 * of these users again, who then have to be erased again.
 */
export const ERASURES_BUCKET = 'erasures';

type StorageSettings = Pick<
  Environment,
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_BUCKET_PREFIX'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'STORAGE_DIR'
>;

/**
 * Creates an S3 adapter if an endpoint or a bucket prefix is set, else an adapter for a local folder. Without keys, the
 * S3 adapter finds credentials itself, such as the role of the machine.
 * @throws Error if only one of the two S3 keys is set.
 */
export const createFileStorage = (environment: StorageSettings): FileStoragePort => {
  const { S3_ENDPOINT, S3_REGION, S3_BUCKET_PREFIX, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = environment;
  if (!S3_ENDPOINT && !S3_BUCKET_PREFIX) return new LocalFileStorageAdapter(environment.STORAGE_DIR);
  const isOneKeyMissing = Boolean(S3_ACCESS_KEY_ID) !== Boolean(S3_SECRET_ACCESS_KEY);
  if (isOneKeyMissing) {
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are given both or not at all');
  }
  return new S3FileStorageAdapter({
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    accessKeys:
      S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
        ? { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }
        : undefined,
    bucketPrefix: S3_BUCKET_PREFIX ?? '',
    buckets: [...uploadBucketSchema.options, ERASURES_BUCKET],
  });
};

/**
 * Creates missing buckets. Called when the database is migrated.
 * @throws Error if a bucket cannot be created, for instance because it belongs to another account.
 */
export const prepareFileStorage = async (environment: StorageSettings): Promise<void> => {
  const storage = createFileStorage(environment);
  try {
    await storage.prepare();
  } finally {
    await storage.close();
  }
};

@Global()
@Module({
  providers: [{ provide: FILE_STORAGE_PORT, inject: [ENVIRONMENT], useFactory: createFileStorage }],
  exports: [FILE_STORAGE_PORT],
})
export class StorageModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.storage.check();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.storage.close();
  }
}
