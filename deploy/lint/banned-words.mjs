/**
 * A word of the house style that is not used, and what to say in its place.
 * @typedef {object} BannedWord
 * @property {string[]} forms  every form, in lower case; a form of several words is separated by one blank
 * @property {string} instead
 * @property {RegExp} [unlessBefore]  text directly before the word that makes it plain English
 * @property {RegExp} [unlessAfter]  text directly after the word that makes it plain English
 */

/** @type {BannedWord[]} */
export const pronouns = [
  {
    forms: ['he', 'him', 'his', 'himself', 'she', 'her', 'hers', 'herself'],
    instead: '"they", or the role: user, sender, partner, moderator',
  },
];

/** Words that hide who or what is meant, and terms that were replaced by those of the field. @type {BannedWord[]} */
export const bannedWords = [
  {
    forms: ['somebody', 'nobody', 'whoever', 'whomever'],
    instead: 'the role: user, sender, caller, no client',
  },
  { forms: ['dear', 'dearer', 'dearest', 'dearly'], instead: '"expensive"' },
  { forms: ['for ever'], instead: '"permanently", or the condition that ends it' },
  { forms: ['mend', 'mends', 'mended', 'mending'], instead: '"repair", "fix" or "correct"' },
  { forms: ['lately'], instead: '"recently", or the period' },
  { forms: ['so many'], instead: 'the number, or the parameter that holds it' },
  { forms: ['anew'], instead: '"again", or the verb: retry, refetch, restart' },
  { forms: ['hear', 'hears', 'heard', 'hearing'], instead: '"receive"', unlessBefore: /\bscreen readers? $/ },
  {
    forms: ['tell', 'tells', 'told', 'telling'],
    instead: '"notify", "report", "send" or "pass"',
    unlessBefore: /\b(?:can|cannot|could|can't) $/,
    unlessAfter: /^(?: \w+){0,4} apart\b/,
  },
  { forms: ['bury', 'buries', 'buried', 'burying'], instead: '"evict" or "remove"' },
  { forms: ['deaf'], instead: '"ignores"' },
  { forms: ['poison', 'poisoned', 'poisonous'], instead: '"dead letter"' },
  { forms: ['lane', 'lanes'], instead: '"shard group"' },
  { forms: ['cell', 'cells'], instead: '"shard"', unlessAfter: /^ rate\b/ },
  { forms: ['pace', 'paces', 'paced'], instead: '"rate" or "rate limit"' },
];
