import { findStatedAge } from './stated-age.js';

describe('findStatedAge', () => {
  it.each([
    // "I am" and a number.
    ['im 13', 13],
    ['Im 13', 13],
    ['i m 13', 13],
    ['im 8', 8],
    ['im 08', 8],
    ['i‘m turning 17', 17],
    ["i'm only 14 :(", 14],
    ["i'm just 12", 12],
    // A number in words.
    ['i’m sixteen', 16],
    ["i'm sixteen!", 16],
    // Within a longer message.
    ["hi, i'm 16, you?", 16],
    ['hello\nim 13\nand you', 13],
    ['im 13 😀', 13],
    // With "years".
    ['i am 15 yo', 15],
    ['I AM 15 Y/O btw', 15],
    ['im 16yo', 16],
    ["i'm a 15 year old girl", 15],
    ['i am 15 years old and bored', 15],
    // With a gender.
    ['im 14f', 14],
    ['im 14 f', 14],
    ['14f', 14],
    ['f15', 15],
    ['16 m', 16],
    ['17/M', 17],
    // In other languages.
    ['tengo 15', 15],
    ['tengo 15 años', 15],
    ['Ich bin 16', 16],
    ['ich bin 16 Jahre alt', 16],
    ['tenho 14', 14],
    ['tenho 14 anos', 14],
    ['j’ai 15 ans', 15],
    ['jai 15 ans', 15],
    // In full-width characters.
    ['ｉｍ １３', 13],
    // Two ages, one of them of an adult.
    ["i'm 25. no, i'm 15", 15],
    ["i'm 15. no, i'm 25", 15],
  ])('reads %j as the age %d', (text, age) => {
    expect(findStatedAge(text)).toBe(age);
  });

  it.each([
    ['the age of another person', 'my sister is 13'],
    ['a difference of ages', 'i am 13 years older'],
    ['a German difference of ages', 'ich bin 16 jahre älter'],
    ['a past age', 'i was 15'],
    ['a past age in a clause', 'when i was 15 years old'],
    ['a number of people', '13 of us'],
    ['a number of people that includes the sender', "i'm 13 of us"],
    ['minutes', "i'm 17 minutes late"],
    ['hours', 'im 12 hours ahead'],
    ['metres', 'im 15 m from you'],
    ['kilometres', 'im 15 km away'],
    ['a decimal number', 'im 13.5 km from you'],
    ['a rating', 'im 10/10'],
    ['a time of day', 'tengo 15:30'],
    ['an ordinal number', "i'm 13th"],
    ['a percentage', "i'm 15% sure"],
    ['years of experience', 'tengo 15 años de experiencia'],
    ['a denied age', "i'm not 15"],
    ['an adult age', "i'm 18"],
    ['an adult age and gender', '24f'],
    ['a height that begins with the digits of such an age', 'im 170 cm'],
    ['a number below 8, the lowest age that is read', "i'm 5"],
    ['a number after another word that ends in "im"', 'him 13'],
    ['a gender without an age', 'm'],
    ['a room number at the end of a longer message', 'room 14f'],
  ])('does not read %s as the age of a sender under 18: %j', (_case, text) => {
    expect(findStatedAge(text)).toBeUndefined();
  });

  // Repeated beginnings of statements, which a pattern that backtracks would try to continue at every position.
  it.each(['i am ', 'im 1', 'im 13 y', '1', ' ', "'", 'f', 'im 13 years ', '\n'])(
    'reads 50,000 characters of %j in linear time',
    (part) => {
      const text = part.repeat(50_000 / part.length);
      const times = Array.from({ length: 5 }, () => {
        const startedAt = Date.now();
        findStatedAge(text);
        return Date.now() - startedAt;
      });
      // Quadratic time would take seconds. The fastest of five runs is not affected by other load.
      expect(Math.min(...times)).toBeLessThan(40);
    },
  );
});
