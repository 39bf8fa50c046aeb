import { acceptableUsername } from './username';

describe('acceptableUsername', () => {
  it.each([
    ['  Ada Lovelace ', 'Ada Lovelace'],
    ['e\u0301clair', 'éclair'],
    ['a\u202Eb\u0007c', 'abc'],
    ['😀'.repeat(30), '😀'.repeat(30)],
    ['Scunthorpe', 'Scunthorpe'],
    ['日本', '日本'],
  ])('accepts %j as %j', (given, stored) => {
    expect(acceptableUsername(given)).toBe(stored);
  });

  it.each([
    '',
    ' \t ',
    '\u200B',
    '\u202E',
    '😀'.repeat(31),
    'admin',
    'A d m i n',
    '4dm1n',
    'the moderator',
    'Nazis',
  ])('refuses %j', (given) => {
    expect(acceptableUsername(given)).toBeNull();
  });
});
