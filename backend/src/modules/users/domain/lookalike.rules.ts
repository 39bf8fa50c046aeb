/**
 * Characters that look like an ASCII letter, by that letter: a subset of the confusables of UTS 39
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection) in Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu and
 * Latin. `l` has no entry, because it is itself a lookalike of `i`; j, x and z have none either. Omitted are letters
 * that `normalize` converts: compatibility variants (full-width, mathematical and circled) and letters with accents.
 */
const lookalikesByLetter: Readonly<Record<string, string>> = {
  a: '4@аɑαᴀꭺꓮᎪⲁ∀ⱥ',
  b: '8ЬвьβʙᏼꓐᏴƃɓ',
  c: 'сϲᴄⲥꮯꓚᏟ¢ɔ',
  d: 'ԁꓒᏧᴅꭰꓓᎠɗđժ',
  e: '3еєεҽᴇꭼꓰᎬⲉ€ɘǝ℮',
  f: 'ꓝϝғƒꞙք',
  g: '9ɡցɢԍꮐꓖᏀƍǥ',
  h: 'һհнʜꮋꓧᎻⲏħ',
  i: '1!|lіıɩιɪӏꓲᎥꭵⲓɨ¡ǀןłƚ',
  k: 'кκᴋꮶꓗᏦⲕƙ',
  m: 'мᴍꮇꓟᎷⲙɱϻ',
  n: 'пողɴꓠⲛηŋɲи',
  o: '0оοօᴏσꓳⲟøɵ○Ꮎ',
  p: 'рρᴘꮲꓑᏢⲣþƿ',
  q: 'ԛզգɋ',
  r: 'гᴦʀꭱꓣᏒᎡⲅɍя',
  s: '5$ѕꜱꓢᏕᏚꮪտʂƨ§',
  t: '7+тτᴛꭲꓔᎢⲧŧ†',
  u: 'υսᴜꓴՍμцʋ',
  v: 'ѵνᴠꮩꓦᏙ∨',
  w: 'ԝѡաᴡꮃꓪᎳωшɯ',
  y: 'уүγʏꭹꓬᎩҮⲩ¥ყ',
};

/** Greek capitals that look like another letter than their lower-case form: Η looks like H, but η looks like n. */
const letterByGreekCapital: Readonly<Record<string, string>> = { Η: 'h', Μ: 'm', Ν: 'n', Υ: 'y' };

/** Decomposes compatibility variants and letters with accents, and converts to lower case. */
const normalize = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[ΗΜΝΥ]/g, (capital) => letterByGreekCapital[capital] ?? capital)
    .toLowerCase();

const letterByLookalike = new Map(
  Object.entries(lookalikesByLetter).flatMap(([letter, lookalikes]) =>
    [...normalize(lookalikes)].map((lookalike) => [lookalike, letter]),
  ),
);

/** Marks, such as the accents that `normalize` splits from letters, and characters that are not visible. */
const marksAndInvisibleCharacters = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;

/** Pairs of letters that look like a single letter in most typefaces. */
const lookalikePairs: readonly (readonly [pair: string, letter: string])[] = [
  ['rn', 'm'],
  ['vv', 'w'],
];

/**
 * Reduces a text to its skeleton: texts that look alike have equal skeletons. Characters become the ASCII letter that
 * they look like, in lower case. Accents and invisible characters are removed.
 */
export const toSkeleton = (text: string): string => {
  const plainText = normalize(text).replace(marksAndInvisibleCharacters, '');
  const letters = Array.from(plainText, (character) => letterByLookalike.get(character) ?? character);
  let skeleton = letters.join('');
  for (const [pair, letter] of lookalikePairs) skeleton = skeleton.replaceAll(pair, letter);
  return skeleton;
};
