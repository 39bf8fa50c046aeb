import type { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Logger } from '@nestjs/common';
import { DomainError } from '../errors/domain-error';
import { type FileAddress, type FileStorage, requireSafeAddress, type StoredFile } from './file-storage';

export interface S3Settings {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const CONNECT_WITHIN_MS = 1_000;
/** Between two signs of life. */
const ANSWER_WITHIN_MS = 5_000;

/** Keeps files in an S3-compatible storage, one bucket of it for each bucket of ours. */
export class S3FileStorage implements FileStorage {
  private readonly logger = new Logger(S3FileStorage.name);
  private readonly client: S3Client;
  private readonly present = new Map<string, Promise<void>>();

  constructor({ endpoint, region, accessKeyId, secretAccessKey }: S3Settings) {
    this.client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      // Bucket names as host names need DNS of their own, which only AWS has.
      forcePathStyle: true,
      // The newer checksums arrive as chunks, which older storages refuse or keep as part of the file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: CONNECT_WITHIN_MS,
        socketTimeout: ANSWER_WITHIN_MS,
        requestTimeout: ANSWER_WITHIN_MS,
        throwOnRequestTimeout: true,
      },
    });
  }

  put(address: FileAddress, content: Buffer, contentType: string): Promise<void> {
    requireSafeAddress(address);
    return this.unlessAway(async () => {
      await this.requireBucket(address.bucket);
      try {
        await this.putObject(address, content, contentType);
      } catch (error) {
        if (!isNamed(error, 'NoSuchBucket')) throw error;
        // Somebody has taken it away since.
        this.present.delete(address.bucket);
        await this.requireBucket(address.bucket);
        await this.putObject(address, content, contentType);
      }
    });
  }

  open(address: FileAddress): Promise<StoredFile | null> {
    requireSafeAddress(address);
    return this.unlessAway(async () => {
      try {
        const { Body, ContentLength } = await this.client.send(new GetObjectCommand(target(address)));
        if (!Body || ContentLength === undefined) throw new Error('The storage answered without a body');
        return { size: ContentLength, content: Body as Readable };
      } catch (error) {
        if (isNamed(error, 'NoSuchKey', 'NoSuchBucket', 'NotFound')) return null;
        throw error;
      }
    });
  }

  remove(address: FileAddress): Promise<void> {
    requireSafeAddress(address);
    return this.unlessAway(async () => {
      try {
        await this.client.send(new DeleteObjectCommand(target(address)));
      } catch (error) {
        if (!isNamed(error, 'NoSuchKey', 'NoSuchBucket', 'NotFound')) throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  private async putObject(address: FileAddress, content: Buffer, contentType: string): Promise<void> {
    await this.client.send(
      new PutObjectCommand({ ...target(address), Body: content, ContentType: contentType }),
    );
  }

  /** Looks once, and makes the bucket if it is missing. */
  private requireBucket(bucket: string): Promise<void> {
    let looking = this.present.get(bucket);
    if (!looking) {
      looking = this.makeBucketIfMissing(bucket);
      this.present.set(bucket, looking);
      looking.catch(() => this.present.delete(bucket));
    }
    return looking;
  }

  private async makeBucketIfMissing(bucket: string): Promise<void> {
    try {
      await this.client.send(new HeadBucketCommand({ Bucket: bucket }));
      return;
    } catch (error) {
      if (!isNamed(error, 'NotFound', 'NoSuchBucket')) throw error;
    }
    try {
      await this.client.send(new CreateBucketCommand({ Bucket: bucket }));
    } catch (error) {
      // Another replica was faster.
      if (!isNamed(error, 'BucketAlreadyOwnedByYou', 'BucketAlreadyExists')) throw error;
    }
  }

  private async unlessAway<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.logger.error(`The storage failed: ${reasonOf(error)}`);
      throw new DomainError('unavailable');
    }
  }
}

const target = ({ bucket, key }: FileAddress) => ({ Bucket: bucket, Key: key });

/** Names and codes alone: a message may quote what was sent. */
const reasonOf = (error: unknown): string => {
  if (error instanceof S3ServiceException) return `${error.name} ${error.$metadata.httpStatusCode ?? ''}`;
  if (!(error instanceof Error)) return 'unknown';
  return (error as NodeJS.ErrnoException).code ?? error.name;
};

const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);
