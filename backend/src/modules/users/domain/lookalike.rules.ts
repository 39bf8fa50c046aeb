/**
 * Characters that pass for an ASCII letter, by the letter: an extract of UTS 39's confusables
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection) in Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu and
 * Latin, for the letters of the reserved words. What compatibility decomposition undoes (full width, mathematical and
 * circled letters) is not in it. Lower case where there is one.
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

/** Letters that stand together as another, in most typefaces. */
const joined: readonly (readonly [string, string])[] = [
  ['rn', 'm'],
  ['vv', 'w'],
];

/**
 * What a text looks like, in lower-case ASCII where it passes for that: texts that are confused have equal skeletons.
 * Accents and invisible characters are left out. `l` and `1` become `i`.
 */
export const skeletonOf = (text: string): string => {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();
  const letters = Array.from(plain, (character) => letterOf.get(character) ?? character).join('');
  return joined.reduce((skeleton, [two, one]) => skeleton.replaceAll(two, one), letters);
};
