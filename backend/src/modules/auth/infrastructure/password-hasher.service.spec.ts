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
    const outdatedHash = await hash('x', { memoryCost: 4_096, timeCost: 1, parallelism: 1 });
    expect(hasher.isOutdated(outdatedHash)).toBe(true);
  });

  it('returns false when there is no hash to verify', async () => {
    expect(await hasher.verify(null, 'anything')).toBe(false);
  });

  it('hashes two passwords at a time, queues 64 and rejects the rest', async () => {
    const results = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.verify(null, 'x')));
    const rejected = results.filter((result) => result.status === 'rejected');
    expect(rejected).toHaveLength(4);
    for (const { reason } of rejected) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(await hasher.verify(null, 'x')).toBe(false);
  });
});
