import { hash } from '@node-rs/argon2';
import { PasswordHasherService } from './password-hasher.service';

describe('PasswordHasherService', () => {
  const hasher = new PasswordHasherService();
  beforeAll(() => hasher.onModuleInit());

  it('creates argon2id hashes with the documented parameters and verifies the exact password', async () => {
    const passwordHash = await hasher.hash('Pässwörd ');
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hasher.verify(passwordHash, 'Pässwörd ')).toBe(true);
    expect(await hasher.verify(passwordHash, 'Pässwörd')).toBe(false);
    expect(hasher.isOutdated(passwordHash)).toBe(false);
  });

  it('detects hashes with outdated parameters', async () => {
    expect(hasher.isOutdated(await hash('x', { memoryCost: 4_096, timeCost: 1, parallelism: 1 }))).toBe(true);
  });

  it('computes a hash even without an account, and returns false', async () => {
    expect(await hasher.verify(null, 'anything')).toBe(false);
  });

  it('rejects when 64 passwords are queued', async () => {
    const results = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.verify(null, 'x')));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(await hasher.verify(null, 'x')).toBe(false);
  });
});
