/**
 * A word that the house style bans, and its replacement.
 * @typedef {object} BannedWord
 * @property {string[]} forms  every form, in lower case; the words of a phrase are separated by one space
 * @property {string} instead  the replacement to suggest
 * @property {RegExp} [unlessPrecededBy]  the word is allowed if the text directly before it matches
 * @property {RegExp} [unlessFollowedBy]  the word is allowed if the text directly after it matches
 */

/** Banned everywhere. Texts that users may see may contain `bannedWords`, but not these. @type {BannedWord[]} */
export const pronouns = [
  {
    forms: ['he', 'him', 'his', 'himself', 'she', 'her', 'hers', 'herself'],
    instead: '"they", or the role: user, sender, partner, moderator',
  },
];

/** Vague or literary words, and terms that were replaced by standard ones. @type {BannedWord[]} */
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
  {
    forms: ['hear', 'hears', 'heard', 'hearing'],
    instead: '"receive"',
    unlessPrecededBy: /\bscreen readers? $/,
  },
  {
    forms: ['tell', 'tells', 'told', 'telling'],
    instead: '"notify", "report", "send" or "pass"',
    // Allows "cannot tell" and "tell two users apart".
    unlessPrecededBy: /\b(?:can|cannot|could|can't) $/,
    unlessFollowedBy: /^(?: \w+){0,4} apart\b/,
  },
  { forms: ['bury', 'buries', 'buried', 'burying'], instead: '"evict" or "remove"' },
  { forms: ['deaf'], instead: '"ignores"' },
  { forms: ['poison', 'poisoned', 'poisonous'], instead: '"dead letter"' },
  { forms: ['lane', 'lanes'], instead: '"shard group"' },
  // Allows the generic cell rate algorithm.
  { forms: ['cell', 'cells'], instead: '"shard"', unlessFollowedBy: /^ rate\b/ },
  { forms: ['pace', 'paces', 'paced'], instead: '"rate" or "rate limit"' },
];
