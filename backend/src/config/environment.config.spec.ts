import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvironment } from './environment.config';

const requiredVariables = { DATABASE_URL: 'postgres://localhost/thaw', REDIS_URL: 'redis://localhost' };

describe('loadEnvironment', () => {
  it('fills in defaults', () => {
    expect(loadEnvironment(requiredVariables)).toMatchObject({
      PORT: 3000,
      INTERNAL_PORT: 9464,
      LIMITS_PROFILE: 'default',
      REMATCH_COOLDOWN_S: 600,
      ALLOWED_ORIGINS: [],
    });
  });

  it('names missing and malformed variables without their values', () => {
    const load = () => loadEnvironment({ REDIS_URL: 'redis://localhost', PORT: 'hunter2' });
    expect(load).toThrow('Missing or malformed settings: DATABASE_URL, PORT');
    expect(load).not.toThrow(/hunter2/);
  });

  it('gives a restarted process a new replica id', () => {
    const start = () => loadEnvironment({ ...requiredVariables, REPLICA_ID: 'api-1' });
    const replicaId = start().replicaId;
    expect(replicaId).toMatch(/^api-1\.[0-9a-f]{8}$/);
    expect(start().replicaId).not.toBe(replicaId);
  });

  it('treats an empty variable as absent', () => {
    expect(loadEnvironment({ ...requiredVariables, PORT: '', PUBLIC_ORIGIN: '' }).PORT).toBe(3000);
  });

  it('reads the endpoint of the storage from a file, and treats an empty file like no endpoint', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thaw-settings-'));
    try {
      const loadWith = (text: string) => {
        const S3_ENDPOINT_FILE = join(folder, 's3-endpoint');
        writeFileSync(S3_ENDPOINT_FILE, text);
        // Compose sets S3_ENDPOINT to '' unless the operator sets it.
        return loadEnvironment({ ...requiredVariables, S3_ENDPOINT: '', S3_ENDPOINT_FILE }).S3_ENDPOINT;
      };
      expect(loadWith('http://storage:7070\n')).toBe('http://storage:7070');
      expect(loadWith('')).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('requires a model with SUGGESTIONS_URL, which must be an HTTP URL without credentials', () => {
    const loadWith = (variables: Record<string, string>) =>
      loadEnvironment({ ...requiredVariables, ...variables });
    const SUGGESTIONS_URL = 'https://api.example.com/v1';
    expect(() => loadWith({ SUGGESTIONS_URL })).toThrow('SUGGESTIONS_MODEL');
    expect(() => loadWith({ SUGGESTIONS_URL: 'ftp://example.com', SUGGESTIONS_MODEL: 'm' })).toThrow(
      'SUGGESTIONS_URL',
    );
    expect(() => loadWith({ SUGGESTIONS_URL: 'https://a:b@example.com', SUGGESTIONS_MODEL: 'm' })).toThrow(
      'SUGGESTIONS_URL',
    );
    expect(loadWith({ SUGGESTIONS_URL, SUGGESTIONS_MODEL: 'm' })).toMatchObject({
      SUGGESTIONS_TIMEOUT_MS: 4_000,
    });
  });

  it('refuses the address of an image classifier with credentials or of another scheme than HTTP', () => {
    const loadWith = (url: string) => loadEnvironment({ ...requiredVariables, IMAGE_CLASSIFIER_URL: url });
    expect(() => loadWith('ftp://example.com')).toThrow('IMAGE_CLASSIFIER_URL');
    expect(() => loadWith('http://a:b@example.com')).toThrow('IMAGE_CLASSIFIER_URL');
    expect(loadWith('http://classifier:8000/classify').IMAGE_CLASSIFIER_URL).toBe(
      'http://classifier:8000/classify',
    );
    expect(loadWith('').IMAGE_CLASSIFIER_URL).toBeUndefined();
  });
});
