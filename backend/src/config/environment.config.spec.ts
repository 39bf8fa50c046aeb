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
});
