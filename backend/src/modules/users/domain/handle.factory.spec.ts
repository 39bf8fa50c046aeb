import { generateHandle } from './handle.factory';
import { parseUsername } from './username.rules';

describe('generateHandle', () => {
  it('returns an adjective, an animal and a number of four digits', () => {
    expect(generateHandle(() => 0)).toMatch(/^[a-z]+-[a-z]+-1000$/);
    expect(generateHandle((below) => below - 1)).toMatch(/^[a-z]+-[a-z]+-9999$/);
  });

  it('returns only names that are accepted as usernames', () => {
    // More rounds than a list has words, so that each word occurs.
    for (let index = 0; index < 60; index += 1) {
      const handle = generateHandle((below) => index % below);
      expect(parseUsername(handle)).toBe(handle);
    }
  });
});
