import { hash } from '@node-rs/argon2';
import { PasswordHasherService } from './password-hasher.service';

describe('PasswordHasherService', () => {
  const hasher = new PasswordHasherService();
  // Computes the dummy hash, which `verify` checks when there is no hash.
  beforeAll(() => hasher.onModuleInit());

  it('creates argon2id hashes with 19 MiB and two iterations, and verifies the exact password', async () => {
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

  it('admits two running and 64 waiting verifications, rejects the rest and recovers', async () => {
    const admittedCount = 2 + 64;
    const rejectedCount = 4;
    const results = await Promise.allSettled(
      Array.from({ length: admittedCount + rejectedCount }, () => hasher.verify(null, 'x')),
    );
    const rejections = results.filter((result) => result.status === 'rejected');
    expect(rejections).toHaveLength(rejectedCount);
    for (const { reason } of rejections) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(await hasher.verify(null, 'x')).toBe(false);
  });
});
