import { limits } from '@thaw/contract/limits';
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
    'ｃｕｎｔ', // in full-width letters
    'cu\u200bnt', // with an invisible space
    'çúñt',
    'cṻ\u0323nt', // u with three accents: two are part of its character, the third is a combining one
    '𝐜𝐮𝐧𝐭', // in letters for formulas
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

/** The shortest time of five calls, in ms, for a text of about `length` UTF-16 units that repeats `part`. */
const measureMs = (part: string, length: number): number => {
  const times = Array.from({ length: 5 }, (_, run) => {
    // `run` makes the texts different, because results are cached.
    const text = `${part.repeat(Math.floor(length / part.length))}${run}`;
    const startedAt = performance.now();
    isInsult(text);
    return performance.now() - startedAt;
  });
  return Math.min(...times);
};

// The parts contain beginnings of insults, an allowed phrase, a word that contains an insult, and characters that
// `isInsult` ignores, replaces or joins.
const asciiParts = ['a', 'cun', 'chink in ', 'scunthorpe ', 'send me ', '!a', 'a ', ' ', "'", '{'];
// Accented letters, other scripts, symbols that look like letters, and characters of two UTF-16 units.
const otherParts = ['é', 'ệ', 'Việt ', '한', 'ⓐ', 'ﷺ', '\u0301', '😀', '𝐜'];
const parts = [...asciiParts, ...otherParts];

describe('isInsult', () => {
  it.each(parts)('reads a long text of repeated %j in linear time', (part) => {
    const shortTextMs = measureMs(part, 12_500);
    // Four times the length takes 4 times as long in linear time, and 16 times in quadratic time. 8 is between them.
    const toleranceMs = 10;
    expect(measureMs(part, 50_000)).toBeLessThan(shortTextMs * 8 + toleranceMs);
  });

  it.each(parts)('reads the longest message of repeated %j in a few milliseconds', (part) => {
    expect(measureMs(part, limits.messageMaxCodePoints)).toBeLessThan(20);
  });
});
