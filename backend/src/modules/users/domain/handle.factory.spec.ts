import { generateHandle } from './handle.factory';
import { acceptableUsername } from './username.rules';

describe('generateHandle', () => {
  it('returns a random adjective, animal and number', () => {
    expect(generateHandle(() => 0)).toMatch(/^[a-z]+-[a-z]+-1000$/);
    expect(generateHandle((below) => below - 1)).toMatch(/^[a-z]+-[a-z]+-9999$/);
  });

  it('returns acceptable usernames only', () => {
    for (let first = 0; first < 60; first += 1) {
      const handle = generateHandle((below) => first % below);
      expect(acceptableUsername(handle)).toBe(handle);
    }
  });
});
