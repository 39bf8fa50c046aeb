import { isInsult } from '@/chat-ui/insults/is-insult';

describe('an insult or a sexual demand', () => {
  it.each([
    'you cunt!',
    'CUNT',
    'cuntttt',
    'c u n t',
    'c.u.n.t',
    'n1gg3r',
    'niiiigggger',
    'fаggot', // with a Cyrillic а
    'fagg0t',
    'wh0re',
    'k.y.s',
    'KILL   YOURSELF',
    'retards!!',
    'send nudes',
    'seeend nudes pls',
    'show me, your tits',
    'suck my d!ck',
    'ｃｕｎｔ',
    'cu\u200bnt',
    'çúñt',
    'cṻ\u0323nt',
    '𝐜𝐮𝐧𝐭',
    'cunt는', // with a Korean particle
    'heeb',
    'zipperheads',
    'jerk off with me',
    'wanna seeee my d1ck',
  ])('is found in %j', (text) => {
    expect(isInsult(text)).toBe(true);
  });

  it.each([
    'hello',
    'fuck this shit',
    'I was born in Scunthorpe',
    'Niger is next to Nigeria',
    'a chink in the armour',
    'flame retardant',
    'raccoons',
    'spice and Sussex',
    'a snigger',
    'Essex, Cockermouth',
    'i will send you the song',
    'show me your cat',
    '',
  ])('is not found in %j', (text) => {
    expect(isInsult(text)).toBe(false);
  });
});

/** The shortest of several runs with different texts of this length, in ms. */
const measure = (part: string, length: number): number => {
  const times = Array.from({ length: 5 }, (_, run) => {
    const text = `${part.repeat(length / part.length)}${run}`;
    const startedAt = performance.now();
    isInsult(text);
    return performance.now() - startedAt;
  });
  return Math.min(...times);
};

const plain = ['a', 'cun', 'chink in ', 'scunthorpe ', 'send me ', '!a', 'a ', ' ', "'", '{'];
const notPlain = ['é', 'ệ', 'Việt ', '한', 'ⓐ', 'ﷺ', '\u0301', '😀', '𝐜'];

it.each([...plain, ...notPlain])(
  'reads %j in linear time, and the longest message in a few milliseconds',
  (part) => {
    const short = measure(part, 12_500);
    // Four times the length takes four times as long, sixteen times if the time were quadratic.
    expect(measure(part, 50_000)).toBeLessThan(short * 8 + 10);
    expect(measure(part, 2_000)).toBeLessThan(20);
  },
);
