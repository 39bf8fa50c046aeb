import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { prepareFileStorage } from '../platform/storage/storage.module';

/** A server with the S3 protocol. */
export interface TestS3 {
  endpoint: string;
  /** Settings of a process that stores its files here. */
  settings: { S3_ENDPOINT: string; S3_ACCESS_KEY_ID: string; S3_SECRET_ACCESS_KEY: string };
  close(): Promise<void>;
}

/** A server with the S3 protocol and the buckets of a migration. It does not check credentials. */
export const startTestS3 = async ({ isPrepared = true } = {}): Promise<TestS3> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'thaw-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    // The SDK signs `/bucket/`, while the server verifies `/bucket`.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const settings = { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' };
  if (isPrepared) {
    await prepareFileStorage({ ...settings, S3_REGION: 'us-east-1', STORAGE_DIR: directory });
  }
  return {
    endpoint,
    settings,
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
