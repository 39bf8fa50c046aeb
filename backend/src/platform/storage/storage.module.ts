import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { FILE_STORAGE, type FileStorage } from './file-storage';
import { LocalFileStorage } from './local-file-storage';
import { S3FileStorage } from './s3-file-storage';

/** S3 where one is given, a folder of this machine elsewhere. */
export const createFileStorage = (
  environment: Pick<
    Environment,
    'S3_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY' | 'STORAGE_DIR'
  >,
): FileStorage => {
  const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, STORAGE_DIR } = environment;
  if (!S3_ENDPOINT) return new LocalFileStorage(STORAGE_DIR);
  if (!S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    throw new Error('S3_ENDPOINT needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  }
  return new S3FileStorage({
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  });
};

@Global()
@Module({
  providers: [{ provide: FILE_STORAGE, inject: [ENVIRONMENT], useFactory: createFileStorage }],
  exports: [FILE_STORAGE],
})
export class StorageModule implements OnApplicationShutdown {
  constructor(@Inject(FILE_STORAGE) private readonly storage: FileStorage) {}

  async onApplicationShutdown(): Promise<void> {
    await this.storage.close();
  }
}
