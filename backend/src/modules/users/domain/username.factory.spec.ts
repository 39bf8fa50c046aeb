import { generateUsername } from './username.factory';
import { parseUsername } from './username.rules';

describe('generateUsername', () => {
  it('returns an adjective, an animal and a number of four digits', () => {
    expect(generateUsername(() => 0)).toMatch(/^[a-z]+-[a-z]+-1000$/);
    expect(generateUsername((below) => below - 1)).toMatch(/^[a-z]+-[a-z]+-9999$/);
  });

  it('returns only names that are accepted as usernames', () => {
    // More rounds than a list has words, so that each word occurs.
    for (let index = 0; index < 60; index += 1) {
      const username = generateUsername((below) => index % below);
      expect(parseUsername(username)).toBe(username);
    }
  });
});
