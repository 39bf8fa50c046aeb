/**
 * Characters that look like an ASCII letter, by letter: an extract of the confusables of UTS 39
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection) in Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu and
 * Latin, for the letters of the reserved words. Compatibility variants (full-width, mathematical and circled letters)
 * are omitted, because NFKD decomposes them. Lower case where there is one.
 */
const byLetter: Readonly<Record<string, string>> = {
  a: '4@аɑαᴀꭺꓮᎪⲁ∀ⱥ',
  b: '8ЬвьβʙᏼꓐᏴƃɓ',
  c: 'сϲᴄⅽⲥꮯꓚᏟ¢ɔ',
  d: 'ԁꓒᏧᴅꭰꓓᎠɗđժ',
  e: '3еєεҽᴇꭼꓰᎬⲉ€ɘǝ℮',
  f: 'ꓝϝғƒꞙք',
  g: '9ɡցɢԍꮐꓖᏀƍǥ',
  h: 'һհнʜꮋꓧᎻⲏηħ',
  i: '1!|lіıɩιɪӏⅰꓲᎥꭵⲓɨ¡ǀןłƚ',
  k: 'кκᴋꮶꓗᏦⲕƙ',
  m: 'мᴍꮇꓟᎷⲙɱϻṃ',
  n: 'пողɴꓠⲛηŋɲи',
  o: '0оοօᴏσꓳⲟøɵ○Ꮎ',
  p: 'рρᴘꮲꓑᏢⲣþƿ',
  q: 'ԛզգɋ',
  r: 'гᴦʀꭱꓣᏒᎡⲅɍя',
  s: '5$ѕꜱꓢᏕᏚꮪտʂƨş§',
  t: '7+тτᴛꭲꓔᎢⲧŧţ†',
  u: 'υսᴜꓴՍμцʋ',
  v: 'ѵνᴠꮩꓦᏙ∨',
  w: 'ԝѡաᴡꮃꓪᎳωшɯ',
  y: 'уүγʏꭹꓬᎩҮⲩ¥ყ',
};

const letterOf = new Map(
  Object.entries(byLetter).flatMap(([letter, others]) =>
    [...others.toLowerCase()].map((other) => [other, letter]),
  ),
);

/** Letter sequences that look like another letter in most typefaces. */
const joined: readonly (readonly [string, string])[] = [
  ['rn', 'm'],
  ['vv', 'w'],
];

/**
 * Reduces a text to lower-case ASCII look-alikes where it has them: confusable texts have equal skeletons. Accents and
 * invisible characters are removed. `l` and `1` become `i`.
 */
export const skeletonOf = (text: string): string => {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();
  const letters = Array.from(plain, (character) => letterOf.get(character) ?? character).join('');
  return joined.reduce((skeleton, [two, one]) => skeleton.replaceAll(two, one), letters);
};
