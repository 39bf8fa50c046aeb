/**
 * Characters that look like an ASCII letter, by that letter: a subset of the confusables of UTS 39
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection) in Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu and
 * Latin. The letters j, x and z have no entry. `l` has none either, because it is itself a lookalike of `i`.
 * Compatibility variants (full-width, mathematical and circled letters) and letters with accents are omitted, because
 * `toSkeleton` decomposes them. Case does not matter, because only lower-case texts are compared.
 */
const lookalikesByLetter: Readonly<Record<string, string>> = {
  a: '4@аɑαᴀꭺꓮᎪⲁ∀ⱥ',
  b: '8ЬвьβʙᏼꓐᏴƃɓ',
  c: 'сϲᴄⲥꮯꓚᏟ¢ɔ',
  d: 'ԁꓒᏧᴅꭰꓓᎠɗđժ',
  e: '3еєεҽᴇꭼꓰᎬⲉ€ɘǝ℮',
  f: 'ꓝϝғƒꞙք',
  g: '9ɡցɢԍꮐꓖᏀƍǥ',
  h: 'һհнʜꮋꓧᎻⲏηħ',
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

/** Decomposes compatibility variants and letters with accents, and converts to lower case. */
const normalize = (text: string): string => text.normalize('NFKD').toLowerCase();

const letterByLookalike = new Map(
  Object.entries(lookalikesByLetter).flatMap(([letter, lookalikes]) =>
    [...normalize(lookalikes)].map((lookalike) => [lookalike, letter]),
  ),
);

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
  const plainText = normalize(text).replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  const letters = Array.from(plainText, (character) => letterByLookalike.get(character) ?? character).join(
    '',
  );
  return lookalikePairs.reduce((skeleton, [pair, letter]) => skeleton.replaceAll(pair, letter), letters);
};
