/** Smaller numbers, as in "i'm 5", are not taken for ages. */
const MIN_STATED_AGE = 8;
const MAX_STATED_AGE = 17;
/** The ages from `MIN_STATED_AGE` to `MAX_STATED_AGE` in words. */
const ageWords = [
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
];

const agePattern = `(?<age>\\d{1,2}|${ageWords.join('|')})`;
/** "I am" or "I have" in five languages. `findStatedAge` makes apostrophes straight; users often leave them out. */
const firstPerson = String.raw`(?:i ?'?m|i am|tengo|ich bin|tenho|j ?'?ai)`;
/** Nothing, or a word between "I am" and the number. */
const wordBeforeNumber = '(?:(?:only|just|turning|actually|really|still|a|an|erst|solo|só|seulement)[ ])?';
/** As in "15 years old" and "15yo". */
const years = String.raw`[ -]?(?:y[./ ]?o|yrs?[ -]old|years?[ -]old|jahre alt)(?![\p{L}\p{N}])`;
/** A year word or a gender at the end of a sentence: as in "15 ans", "15 f" and "15f". */
const wordAtEnd = String.raw`(?:[ ](?:años|anos|ans|jahre|yrs)|[ ]?[mf])(?=[ ]*(?:$|[.,!?;…)\n]))`;
/** The end of a sentence, or an emoji. `(?!\d)` excludes "13.5" and "15:30". */
const sentenceEnd = String.raw`[ ]*(?:$|[.,!?;:…)\n](?!\d)|\p{Extended_Pictographic})`;
/** What must follow the number, so that "13 years older", "15 km" and "10/10" are not ages. */
const afterNumber = `(?:${years}|${wordAtEnd}|${sentenceEnd})`;

const statement = new RegExp(
  `(?<![\\p{L}\\p{N}])${firstPerson}[ ]${wordBeforeNumber}${agePattern}${afterNumber}`,
  'giu',
);
/** A message that consists of an age and a gender: "14f", "f 15", "16/m". */
const ageAndGender = new RegExp(
  String.raw`^(?:(?<age>\d{1,2})[ /,]?[mf]|[mf][ /,]?(?<ageAfterGender>\d{1,2}))[.!]?$`,
  'iu',
);

/** A cheap first test: every message that states an age from 8 (also "08") to 17 matches, and hardly any other. */
const mayStateAge = new RegExp(`(?<!\\d)(?:0?[89]|1[0-7])(?!\\d)|${ageWords.join('|')}`, 'iu');

const toNumber = (age: string): number => {
  const index = ageWords.indexOf(age.toLowerCase());
  return index < 0 ? Number(age) : MIN_STATED_AGE + index;
};

const isInRange = (age: number): boolean => age >= MIN_STATED_AGE && age <= MAX_STATED_AGE;

/** Finds the numbers and number words that are stated as ages. */
const findAgeTexts = (text: string): string[] => {
  const onlyAgeAndGender = ageAndGender.exec(text)?.groups;
  if (onlyAgeAndGender) return [onlyAgeAndGender.age ?? onlyAgeAndGender.ageAfterGender ?? ''];
  return [...text.matchAll(statement)].map(({ groups }) => groups?.age ?? '');
};

/**
 * Finds a sender's statement that they are under 18. Ignores the ages of other people, ages in the past
 * ("i was 15"), and numbers that are not ages. Takes linear time.
 * @param text  a message
 * @returns the stated age in years, from 8 to 17; undefined if the text states none
 */
export const findStatedAge = (text: string): number | undefined => {
  const normalized = text.normalize('NFKC');
  if (!mayStateAge.test(normalized)) return undefined;
  const plain = normalized
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[ \t\u00a0]+/g, ' ')
    .trim();
  return findAgeTexts(plain).map(toNumber).find(isInRange);
};
