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
      SUGGESTIONS_TIMEOUT_MS: 4_000,
    });
  });

  it('names missing and malformed variables without their values', () => {
    const load = () => loadEnvironment({ REDIS_URL: 'redis://localhost', PORT: 'a secret' });
    expect(load).toThrow('Missing or malformed settings: DATABASE_URL, PORT');
    expect(load).not.toThrow(/a secret/);
  });

  it('gives a restarted process a new replica id', () => {
    const start = () => loadEnvironment({ ...requiredVariables, REPLICA_ID: 'api-1' });
    const replicaId = start().replicaId;
    expect(replicaId).toMatch(/^api-1\.[0-9a-f]{8}$/);
    expect(start().replicaId).not.toBe(replicaId);
  });

  it('treats an empty variable as absent', () => {
    const environment = loadEnvironment({ ...requiredVariables, PORT: '', PUBLIC_ORIGIN: '' });
    expect(environment.PORT).toBe(3000);
    expect(environment.PUBLIC_ORIGIN).toBeUndefined();
  });

  it('reads the endpoint of the storage from a file, and treats an empty file like no endpoint', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thaw-settings-'));
    const endpointFile = join(folder, 's3-endpoint');
    const loadWithFile = (content: string) => {
      writeFileSync(endpointFile, content);
      // Compose sets S3_ENDPOINT to '' unless the operator sets it.
      return loadEnvironment({ ...requiredVariables, S3_ENDPOINT: '', S3_ENDPOINT_FILE: endpointFile });
    };
    try {
      expect(loadWithFile('http://storage:7070\n').S3_ENDPOINT).toBe('http://storage:7070');
      expect(loadWithFile('').S3_ENDPOINT).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('requires SUGGESTIONS_MODEL when SUGGESTIONS_URL is set', () => {
    const variables = { ...requiredVariables, SUGGESTIONS_URL: 'https://api.example.com/v1' };
    expect(() => loadEnvironment(variables)).toThrow('SUGGESTIONS_MODEL');
    expect(() => loadEnvironment({ ...variables, SUGGESTIONS_MODEL: 'm' })).not.toThrow();
  });

  describe.each(['SUGGESTIONS_URL', 'IMAGE_CLASSIFIER_URL'] as const)('%s', (name) => {
    const loadWith = (url: string) =>
      loadEnvironment({ ...requiredVariables, SUGGESTIONS_MODEL: 'm', [name]: url });

    it.each(['http://service:8000/path', 'https://api.example.com/v1'])('may be %s', (url) => {
      expect(loadWith(url)[name]).toBe(url);
    });

    it('may be empty', () => {
      expect(loadWith('')[name]).toBeUndefined();
    });

    it.each([
      ['another scheme than HTTP', 'ftp://example.com'],
      ['credentials', 'http://a:b@example.com'],
      ['credentials, even over TLS', 'https://a:b@example.com'],
    ])('must not have %s', (_, url) => {
      expect(() => loadWith(url)).toThrow(name);
    });
  });
});
