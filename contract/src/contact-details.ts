/** A way to reach a user outside Thaw. `handle` is a username on another service. */
export type ContactKind = 'link' | 'email' | 'phone' | 'handle';

/** The position of a contact detail in a text, in UTF-16 code units; `end` is exclusive. */
export interface ContactSpan {
  kind: ContactKind;
  start: number;
  end: number;
}

/**
 * Top-level domains of links without a scheme. "it" and "is" are left out: they often follow a full stop without a
 * space, as in "ok.it is fine".
 */
const topLevelDomains = (
  'com net org info biz io co me tv app dev gg xyz link site online shop club live chat ' +
  'eu uk de fr es pl nl br ru ly'
).split(' ');

/** A link such as `https://…` or `tg://…`, or one that begins with `www.`; up to the next white space. */
const linkWithScheme = /(?<![a-z0-9])(?:[a-z][a-z0-9+-]{1,11}:\/\/|www\.)[^\s]+/giu;
/** The end of a domain without a scheme. `findBareDomains` searches its beginning, to the left of it. */
const endOfBareDomain = new RegExp(`\\.(?:${topLevelDomains.join('|')})(?![\\p{L}\\p{N}_-])`, 'giu');
const domainCharacter = /[\p{L}\p{N}.-]/u;
const localPartCharacter = /[\p{L}\p{N}._%+-]/u;
/** The at sign must not follow a letter or digit, as it does in an e-mail address. */
const handleWithAtSign = /(?<![\p{L}\p{N}_.])@[a-z0-9_][a-z0-9_.]{1,29}/giu;
/** Largest lengths of the two parts of an e-mail address (RFC 5321, RFC 1035). They also keep the search linear. */
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;

// The parts of `serviceAndUsername`.
const service = /(?<![\p{L}\p{N}_])(?:snap(?:chat)?|insta(?:gram)?|telegram|whats ?app|discord|kik)/u;
const connection =
  /(?:(?:[ ]{0,2}[:=-]|[ ]{1,2}(?:is|name|id|user|username|handle|tag))[ ]{0,2}|[ ]{1,2}){1,2}/u;
const username = /(?<atSign>@)?(?<name>[a-z0-9_][a-z0-9_.]{1,29})(?![\p{L}\p{N}_])/u;
/** The name of a service, up to two connecting words or signs, and a username: "snap: anna", "insta name is anna". */
const serviceAndUsername = new RegExp(service.source + connection.source + username.source, 'giu');
/** Words that follow the name of a service in ordinary sentences: "discord is down", "insta and snap". */
const ordinaryWords = new Set(
  (
    'a about account after again all also always an and any anymore app are as at bad because before better but ' +
    'by call can chat cool down each either else ever every everyone fine first for from fun good great group ' +
    'had has have here how if in instead is it just kik later like lol maybe me message messages more much my ' +
    'name never nice no not now of off ok okay old on one only or other over photo photos post posts pics please ' +
    'insta instagram telegram whatsapp discord snap snapchat rather really right server servers so some story ' +
    'streak streaks still stories stuff than that the them then there they this to today too tomorrow u use user ' +
    'username users very video videos was way we web well were what when where which who why will with works ' +
    'yeah yes yet you your'
  ).split(' '),
);
/** Characters that occur in usernames, but not in ordinary words. */
const nonWordCharacter = /[0-9_.]/;

/** Digits with the separators that are common in phone numbers. */
const runOfDigits = /[+(]?\d(?:[ ().\u00a0/-]{0,3}\d)*/gu;
const MIN_PHONE_DIGITS = 8;
const MAX_PHONE_DIGITS = 15;
/** A date at the beginning of a run, such as "20.11.2026". Its digits are not those of a phone number. */
const leadingDate =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))(?!\d)[ -]{0,3}/;
/** Two years: "2019-2023", "2019 2023". */
const rangeOfYears = /^(?:19|20)\d{2}(?:[ ]?[-/][ ]?|[ ])(?:19|20)\d{2}(?!\d)/;
/**
 * A large number in groups of three digits: "10.000.000". One that begins with three digits, such as "600.123.456", may
 * be a phone number, so it matches only if all other groups are "000".
 */
const groupedNumber = /^(?:\d{1,2}(?:\.\d{3})+|\d{1,3}(?:\.000)+)$/;
/** A currency before a number. */
const currencyBefore = /(?:[$€£¥₹]|(?:usd|eur|gbp|pln))[ ]?$/i;
/** A currency after a number. */
const currencyAfter = /^[ ]?(?:[$€£¥₹%]|(?:usd|eur|gbp|pln|euros?|dollars?|pounds?|zł|kr)(?![\p{L}]))/iu;
/** Before a run of digits that is part of a name ("room_"), of a time ("12:") or of a decimal number ("3,"). */
const continuedBefore = /(?:[\p{L}_]|\d[:,])$/u;
/** After such a run. */
const continuedAfter = /^(?:[\p{L}_]|[:,]\d)/u;
/** The patterns around a run read at most this number of characters: " dollars" and the next one. */
const CONTEXT_LENGTH = 9;

const countDigits = (text: string): number => text.replace(/\D/g, '').length;

const isPhoneNumber = (text: string, start: number, end: number): boolean => {
  const run = text.slice(start, end);
  const before = text.slice(Math.max(0, start - CONTEXT_LENGTH), start);
  const after = text.slice(end, end + CONTEXT_LENGTH);
  // A plus sign begins a new number.
  const isContinuation = !run.startsWith('+') && continuedBefore.test(before);
  if (isContinuation || continuedAfter.test(after)) return false;
  if (groupedNumber.test(run) || rangeOfYears.test(run)) return false;
  if (currencyBefore.test(before) || currencyAfter.test(after)) return false;
  const digits = countDigits(run.replace(leadingDate, ''));
  return digits >= MIN_PHONE_DIGITS && digits <= MAX_PHONE_DIGITS;
};

/** The index, at least `min`, at which the run of matching characters before `end` begins. */
const extendLeft = (text: string, end: number, min: number, character: RegExp): number => {
  let start = end;
  while (start > min && character.test(text.charAt(start - 1))) start -= 1;
  return start;
};

/** The index, at most `max`, at which the run of matching characters from `start` ends (exclusive). */
const extendRight = (text: string, start: number, max: number, character: RegExp): number => {
  let end = start;
  while (end < max && character.test(text.charAt(end))) end += 1;
  return end;
};

/** Moves the end of a match, but not below `min`, before the punctuation of a sentence, such as a full stop. */
const trimSentenceEnd = (text: string, end: number, min: number): number => {
  let trimmed = end;
  while (trimmed > min && /[.,!?;:)'"\]]/.test(text.charAt(trimmed - 1))) trimmed -= 1;
  return trimmed;
};

function* findEmails(text: string): Generator<ContactSpan> {
  let previousEnd = 0;
  for (let atSign = text.indexOf('@'); atSign >= 0; atSign = text.indexOf('@', atSign + 1)) {
    const minStart = Math.max(previousEnd, atSign - MAX_LOCAL_PART_LENGTH);
    const start = extendLeft(text, atSign, minStart, localPartCharacter);
    if (start === atSign) continue;
    const domainStart = atSign + 1;
    const domainEnd = extendRight(text, domainStart, domainStart + MAX_DOMAIN_LENGTH, domainCharacter);
    const end = trimSentenceEnd(text, domainEnd, domainStart);
    if (!text.slice(domainStart, end).includes('.')) continue;
    yield { kind: 'email', start, end };
    previousEnd = end;
  }
}

function* findBareDomains(text: string): Generator<ContactSpan> {
  let previousEnd = 0;
  for (const match of text.matchAll(endOfBareDomain)) {
    const minStart = Math.max(previousEnd, match.index - MAX_DOMAIN_LENGTH);
    const start = extendLeft(text, match.index, minStart, domainCharacter);
    const hostEnd = match.index + match[0].length;
    const isPartOfPrevious = hostEnd <= previousEnd;
    const hasName = start < match.index;
    if (isPartOfPrevious || !hasName) continue;
    const hasPath = text.charAt(hostEnd) === '/';
    const end = hasPath
      ? trimSentenceEnd(text, extendRight(text, hostEnd, text.length, /\S/), hostEnd)
      : hostEnd;
    yield { kind: 'link', start, end };
    previousEnd = end;
  }
}

function* findUsernamesOnServices(text: string): Generator<ContactSpan> {
  for (const { 0: match, index, groups } of text.matchAll(serviceAndUsername)) {
    const name = groups?.name ?? '';
    // An at sign, a colon or an equals sign before the name makes even an ordinary word a username.
    const isExplicit = groups?.atSign !== undefined || /[:=]\s*$/.test(match.slice(0, -name.length));
    if (!isExplicit && !nonWordCharacter.test(name) && ordinaryWords.has(name.toLowerCase())) continue;
    const end = index + match.length;
    const start = end - name.length;
    yield { kind: 'handle', start, end: trimSentenceEnd(text, end, start) };
  }
}

function* findPhoneNumbers(text: string): Generator<ContactSpan> {
  for (const { 0: run, index } of text.matchAll(runOfDigits)) {
    const end = index + run.length;
    if (run.length >= MIN_PHONE_DIGITS && isPhoneNumber(text, index, end))
      yield { kind: 'phone', start: index, end };
  }
}

function* findMatches(text: string, pattern: RegExp, kind: ContactKind): Generator<ContactSpan> {
  for (const { 0: match, index } of text.matchAll(pattern)) {
    yield { kind, start: index, end: trimSentenceEnd(text, index + match.length, index) };
  }
}

/**
 * Finds links, e-mail addresses, phone numbers and usernames on other services. Prefers short patterns to exact ones,
 * because a false positive costs little: one click of the reader shows the hidden text. Takes linear time.
 * @param text not longer than a message (`limits.messageMaxCodePoints`)
 * @returns spans in the order of the text, without overlaps
 */
export const findContactDetails = (text: string): ContactSpan[] => {
  const found = [
    ...findMatches(text, linkWithScheme, 'link'),
    ...findEmails(text),
    ...findBareDomains(text),
    ...findMatches(text, handleWithAtSign, 'handle'),
    ...findUsernamesOnServices(text),
    ...findPhoneNumbers(text),
  ].sort((one, other) => one.start - other.start || other.end - one.end);
  // Overlapping spans become one span, with the kind of the first, or of the longest if several start together.
  const spans: ContactSpan[] = [];
  for (const span of found) {
    const last = spans.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else spans.push(span);
  }
  return spans;
};

/** Replaces every contact detail in a text by `replacement`. */
export const replaceContactDetails = (text: string, replacement: string): string => {
  let result = '';
  let end = 0;
  for (const span of findContactDetails(text)) {
    result += text.slice(end, span.start) + replacement;
    end = span.end;
  }
  return result + text.slice(end);
};
