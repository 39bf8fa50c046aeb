import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { prepareFileStorage } from '../platform/storage/storage.module';
import { findFreePort } from './free-port.functions';
import { until } from './until.functions';

/** A server with the S3 protocol. */
export interface TestS3 {
  endpoint: string;
  /** The folder in which the server stores its files. */
  directory: string;
  /** Environment variables of a process that stores its files on this server. */
  settings: { S3_ENDPOINT: string; S3_ACCESS_KEY_ID: string; S3_SECRET_ACCESS_KEY: string };
  close(): Promise<void>;
}

type S3Server = Pick<TestS3, 'endpoint' | 'close'>;

/** Both the key id and the secret. S3rver knows no other key id. */
const KEY = 'S3RVER';

/** Starts S3rver, which is written in JavaScript and needs no other program. */
const startS3rver = async (directory: string): Promise<S3Server> => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    // The signatures of requests for a whole bucket do not match: the SDK signs `/bucket/`, S3rver verifies `/bucket`.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
};

/**
 * Starts VersityGW with the options of docker-compose.yml.
 * @param program path of its binary
 */
const startVersityGw = async (program: string, directory: string): Promise<S3Server> => {
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(
    program,
    ['--port', `127.0.0.1:${port}`, '--health', '/healthz', '--quiet', 'posix', directory],
    {
      env: { ...process.env, ROOT_ACCESS_KEY_ID: KEY, ROOT_SECRET_ACCESS_KEY: KEY },
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  await until(() =>
    fetch(`${endpoint}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    endpoint,
    close: async () => {
      child.kill();
      await ended;
    },
  };
};

/**
 * Starts an S3 server and creates the buckets on it. The server is VersityGW if the environment variable
 * VERSITYGW_PATH names its binary, otherwise S3rver.
 */
export const startTestS3 = async (): Promise<TestS3> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'thaw-s3-'));
  const { VERSITYGW_PATH: program } = process.env;
  const server = await (program ? startVersityGw(program, directory) : startS3rver(directory));
  const { endpoint } = server;
  const settings = { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: KEY, S3_SECRET_ACCESS_KEY: KEY };
  // `STORAGE_DIR` is required, but it is used only without an S3 endpoint.
  await prepareFileStorage({ ...settings, S3_REGION: 'us-east-1', STORAGE_DIR: directory });
  return {
    endpoint,
    directory,
    settings,
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
