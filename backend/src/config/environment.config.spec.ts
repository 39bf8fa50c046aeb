import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvironment } from './environment.config';

const required = { DATABASE_URL: 'postgres://localhost/thaw', REDIS_URL: 'redis://localhost' };

describe('loadEnvironment', () => {
  it('fills in defaults', () => {
    expect(loadEnvironment(required)).toMatchObject({
      PORT: 3000,
      INTERNAL_PORT: 9464,
      LIMITS_PROFILE: 'default',
      REMATCH_COOLDOWN_S: 600,
      ALLOWED_ORIGINS: [],
    });
  });

  it('names malformed variables without their values', () => {
    const load = () => loadEnvironment({ REDIS_URL: 'redis://localhost', PORT: 'hunter2' });
    expect(load).toThrow('Missing or malformed settings: DATABASE_URL, PORT');
    expect(load).not.toThrow(/hunter2/);
  });

  it('gives a restarted process a new replica id', () => {
    const ids = [1, 2].map(() => loadEnvironment({ ...required, REPLICA_ID: 'api-1' }).replicaId);
    expect(ids[0]).toMatch(/^api-1\.[0-9a-f]{8}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('treats an empty variable as absent', () => {
    expect(loadEnvironment({ ...required, PORT: '', PUBLIC_ORIGIN: '' }).PORT).toBe(3000);
  });

  it('reads the endpoint of the storage from a file, and treats an empty file as none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thaw-settings-'));
    try {
      const load = (text: string) => {
        const S3_ENDPOINT_FILE = join(folder, 's3-endpoint');
        writeFileSync(S3_ENDPOINT_FILE, text);
        return loadEnvironment({ ...required, S3_ENDPOINT: '', S3_ENDPOINT_FILE }).S3_ENDPOINT;
      };
      expect(load('http://storage:7070\n')).toBe('http://storage:7070');
      expect(load('')).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('requires a model name with a model address, and refuses addresses with credentials or of other schemes', () => {
    const load = (settings: Record<string, string>) => () => loadEnvironment({ ...required, ...settings });
    const SUGGESTIONS_URL = 'https://api.example.com/v1';
    expect(load({ SUGGESTIONS_URL })).toThrow('SUGGESTIONS_MODEL');
    expect(load({ SUGGESTIONS_URL: 'ftp://example.com', SUGGESTIONS_MODEL: 'm' })).toThrow('SUGGESTIONS_URL');
    expect(load({ SUGGESTIONS_URL: 'https://a:b@example.com', SUGGESTIONS_MODEL: 'm' })).toThrow(
      'SUGGESTIONS_URL',
    );
    expect(load({ SUGGESTIONS_URL, SUGGESTIONS_MODEL: 'm' })()).toMatchObject({
      SUGGESTIONS_TIMEOUT_MS: 4_000,
    });
  });

  it('accepts an image classifier by HTTP only, without credentials in its address', () => {
    const load = (url: string) => () => loadEnvironment({ ...required, IMAGE_CLASSIFIER_URL: url });
    expect(load('ftp://example.com')).toThrow('IMAGE_CLASSIFIER_URL');
    expect(load('http://a:b@example.com')).toThrow('IMAGE_CLASSIFIER_URL');
    expect(load('http://classifier:8000/classify')().IMAGE_CLASSIFIER_URL).toBe(
      'http://classifier:8000/classify',
    );
    expect(load('')().IMAGE_CLASSIFIER_URL).toBeUndefined();
  });
});
