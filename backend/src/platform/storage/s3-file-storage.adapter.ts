import type { Readable } from 'node:stream';
import {
  type BucketLocationConstraint,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Logger } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import {
  type FileAddress,
  type FileStoragePort,
  requireSafeAddress,
  type StoredFile,
} from './file-storage.port';

export interface S3Settings {
  /** URL of an S3-compatible storage. Without it, the SDK uses AWS in the given region. */
  endpoint?: string;
  region: string;
  /** If absent, the SDK uses credentials of the environment, a profile, or the role of the container or machine. */
  accessKeys?: { accessKeyId: string; secretAccessKey: string };
  /** Prefix of every bucket name. It makes names unique, because all accounts of a storage share one namespace. */
  bucketPrefix: string;
  /** Names of the buckets, without the prefix. */
  buckets: readonly string[];
}

const CONNECT_TIMEOUT_MS = 1_000;
/** Maximum time until a response starts, and between two parts of its data. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** Stores files in an S3-compatible storage. Each bucket of the settings is one S3 bucket, named with the prefix. */
export class S3FileStorageAdapter implements FileStoragePort {
  private readonly logger = new Logger(S3FileStorageAdapter.name);
  private readonly client: S3Client;

  constructor(private readonly settings: S3Settings) {
    const { endpoint, region, accessKeys } = settings;
    this.client = new S3Client({
      endpoint,
      region,
      credentials: accessKeys,
      // Without path style, the SDK puts the bucket into the host name. That needs wildcard DNS, which only AWS has.
      forcePathStyle: endpoint !== undefined,
      // The SDK's newer checksums use chunked encoding, which older storages refuse or store as part of the file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 2, // one retry
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: RESPONSE_TIMEOUT_MS,
        requestTimeout: RESPONSE_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    });
  }

  async prepare(): Promise<void> {
    for (const s3Bucket of this.s3Buckets) {
      if (!(await this.hasS3Bucket(s3Bucket))) await this.createS3Bucket(s3Bucket);
    }
  }

  async check(): Promise<void> {
    for (const s3Bucket of this.s3Buckets) {
      const state = await this.inspectS3Bucket(s3Bucket);
      if (state === 'missing')
        throw new Error(`The bucket ${s3Bucket} is missing: run the migration, or create it`);
      // The other buckets are in the same storage, so they are not checked.
      if (state === 'unavailable') return;
    }
  }

  put(address: FileAddress, content: Buffer, contentType: string): Promise<void> {
    requireSafeAddress(address);
    return this.throwUnavailableOnFailure(async () => {
      await this.client.send(
        new PutObjectCommand({ ...this.toS3Address(address), Body: content, ContentType: contentType }),
      );
    });
  }

  open(address: FileAddress): Promise<StoredFile | null> {
    requireSafeAddress(address);
    return this.throwUnavailableOnFailure(async () => {
      try {
        const { Body, ContentLength } = await this.client.send(
          new GetObjectCommand(this.toS3Address(address)),
        );
        if (!Body || ContentLength === undefined) throw new Error('The storage answered without a body');
        // In Node, the SDK returns the body as a Readable.
        return { size: ContentLength, content: Body as Readable };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  remove(address: FileAddress): Promise<void> {
    requireSafeAddress(address);
    return this.throwUnavailableOnFailure(async () => {
      try {
        await this.client.send(new DeleteObjectCommand(this.toS3Address(address)));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  async *list(bucket: string): AsyncGenerator<string> {
    const request = { Bucket: this.toS3Bucket(bucket) };
    let continuationToken: string | undefined;
    do {
      const page = await this.throwUnavailableOnFailure(() =>
        this.client.send(new ListObjectsV2Command({ ...request, ContinuationToken: continuationToken })),
      );
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
      continuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (continuationToken !== undefined);
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  private get s3Buckets(): string[] {
    return this.settings.buckets.map((bucket) => this.toS3Bucket(bucket));
  }

  /** @returns the name of the S3 bucket: that of the bucket with the prefix */
  private toS3Bucket(bucket: string): string {
    return `${this.settings.bucketPrefix}${bucket}`;
  }

  private toS3Address({ bucket, key }: FileAddress) {
    return { Bucket: this.toS3Bucket(bucket), Key: key };
  }

  /** @throws ForeignBucketError. Other errors are only logged, because the process must start without the storage. */
  private async inspectS3Bucket(s3Bucket: string): Promise<'present' | 'missing' | 'unavailable'> {
    try {
      return (await this.hasS3Bucket(s3Bucket)) ? 'present' : 'missing';
    } catch (error) {
      if (error instanceof ForeignBucketError) throw error;
      this.logger.warn(`The bucket ${s3Bucket} could not be checked: ${readErrorCode(error)}`);
      return 'unavailable';
    }
  }

  /** @throws ForeignBucketError, or the error of the SDK when the storage fails or does not respond */
  private async hasS3Bucket(s3Bucket: string): Promise<boolean> {
    try {
      await this.client.send(new HeadBucketCommand({ Bucket: s3Bucket }));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      if (readStatus(error) === 403) throw new ForeignBucketError(s3Bucket);
      throw error;
    }
  }

  private async createS3Bucket(s3Bucket: string): Promise<void> {
    const { endpoint, region } = this.settings;
    // AWS requires a region unless it is us-east-1; other storages have no regions.
    const requiresRegion = endpoint === undefined && region !== 'us-east-1';
    try {
      await this.client.send(
        new CreateBucketCommand({
          Bucket: s3Bucket,
          ...(requiresRegion
            ? { CreateBucketConfiguration: { LocationConstraint: region as BucketLocationConstraint } }
            : {}),
        }),
      );
    } catch (error) {
      if (!isNamed(error, 'BucketAlreadyOwnedByYou', 'BucketAlreadyExists')) throw error;
      const wasCreatedConcurrently = await this.hasS3Bucket(s3Bucket);
      if (!wasCreatedConcurrently) throw new ForeignBucketError(s3Bucket);
    }
  }

  private async throwUnavailableOnFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.logger.error(`The storage failed: ${readErrorCode(error)}`);
      throw new DomainError('unavailable');
    }
  }
}

class ForeignBucketError extends Error {
  constructor(s3Bucket: string) {
    super(
      `The bucket ${s3Bucket} is not ours to use: it belongs to another account (set S3_BUCKET_PREFIX), or the credentials may not list it`,
    );
  }
}

const readStatus = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** Returns what can be logged of an error. That excludes its message, which may quote the request. */
const readErrorCode = (error: unknown): string => {
  if (error instanceof S3ServiceException) return `${error.name} ${readStatus(error) ?? ''}`;
  if (!(error instanceof Error)) return 'unknown';
  return (error as NodeJS.ErrnoException).code ?? error.name;
};

const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);

/** Whether the storage has no such file or bucket. */
const isMissing = (error: unknown): boolean => isNamed(error, 'NoSuchKey', 'NoSuchBucket', 'NotFound');
