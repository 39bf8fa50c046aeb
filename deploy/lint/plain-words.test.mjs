import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ESLint, RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { plainWords } from './plain-words.mjs';

// RuleTester defines its tests with these functions, instead of global ones.
RuleTester.describe = describe;
RuleTester.it = it;
RuleTester.itOnly = it.only;
RuleTester.afterAll = after;

const tester = new RuleTester({
  languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
});
const { rules } = plainWords;

/** 125 characters; the rules allow 120 columns. */
const LONG_TEXT = 'word '.repeat(25);

/** Finds the line and the column of a word in a fixture. Both start at 1, as RuleTester counts them. */
const locateWord = (code, word) => {
  const lines = code.slice(0, code.indexOf(word)).split('\n');
  return { line: lines.length, column: lines.at(-1).length + 1 };
};
/** Creates a fixture in which a rule must find these words, in this order. */
const withBannedWords = (code, ...words) => ({
  code,
  errors: words.map((word) => ({ messageId: 'word', ...locateWord(code, word) })),
});
/** Creates a fixture in which a rule must find that this line, counted from 1, is too long. */
const withLongLine = (code, line) => ({ code, errors: [{ messageId: 'tooLong', line }] });

tester.run('comments', rules.comments, {
  valid: [
    '// Words that contain banned words: Here, other, themselves, intelligent, where, together.',
    // A phrase in two comments.
    '// Kept for\n// ever.',
    // Senses of banned words that are allowed.
    '// Two gaps can be told apart by their ids, and the server cannot tell whether the frame arrived.',
    '// The generic cell rate algorithm.',
    '// The word `nobody` in backticks is a name.',
    "const text = 'whoever'; // A text of the product.",
  ],
  invalid: [
    withBannedWords('// The partner and his socket.', 'his'),
    withBannedWords('/** Told to whoever waits. */', 'Told', 'whoever'),
    // The words of a phrase may be on two lines of one comment.
    withBannedWords('/* Kept for\n * ever. */', 'for\n * ever'),
    withBannedWords('/* Refetched anew. */', 'anew'),
    withBannedWords('// The «user».', '«', '»'),
    withBannedWords('// The query is dear.', 'dear'),
    withBannedWords('// One cell of the lane.', 'cell', 'lane'),
    // A comment of a Lua script.
    withBannedWords('const script = `\n-- he left\nreturn 1`;', 'he'),
    withLongLine(`// ${LONG_TEXT}`, 1),
    withLongLine(`/**\n * short\n * ${LONG_TEXT}\n */`, 3),
  ],
});
tester.run('identifiers', rules.identifiers, {
  valid: [
    // Names in which a banned word is only a part of another word, such as `tell` in `intelligent`.
    'const intelligent = 1; const here = 1; const hereafter = 1; const cellar = 1; const history = 1;',
    'const theHero = 1; const shelter = 1; const spaced = 1; const airplanes = 1;',
    // Names that another module declares.
    "import { tell } from 'elsewhere'; tell(elsewhere.nobody);",
    'const { lately: recently } = frame;',
  ],
  invalid: [
    withBannedWords('const tellPartner = () => {};', 'tellPartner'),
    withBannedWords('const hisSocket = 1;', 'hisSocket'),
    withBannedWords('function keepForEver() {}', 'keepForEver'),
    withBannedWords('class Hub { #heard = 1; tell() {} }', '#heard', 'tell'),
    withBannedWords('interface Person { isNobody: boolean }', 'isNobody'),
    withBannedWords('const send = (whoever: string) => whoever;', 'whoever'),
    withBannedWords('const { told: isTold, ...lately } = frame;', 'isTold', 'lately'),
  ],
});
tester.run('test-titles', rules['test-titles'], {
  valid: [
    "it('rejects a message from a user who is not in the session', () => {});",
    // Not a title: `test` is a method of a regular expression.
    "pattern.test('told');",
  ],
  invalid: [
    withBannedWords("it('tells the partner', () => {});", 'tells'),
    withBannedWords("it.each([1])('says nothing to nobody %i', () => {});", 'nobody'),
    withBannedWords('describe(`the «chat»`, () => {});', '«', '»'),
    withBannedWords("test('keeps it for ever', () => {});", 'for ever'),
    withBannedWords("t.test('a user and his chat', () => {});", 'his'),
    withLongLine(`it('${LONG_TEXT}', () => {});`, 1),
  ],
});
tester.run('strings', rules.strings, {
  valid: [
    // Banned words other than pronouns.
    "const text = 'Somebody told you here.';",
    // A title, which `test-titles` checks.
    "it('tests her', () => {});",
    // Parts of a path.
    "const path = '/he/his';",
  ],
  invalid: [
    withBannedWords("const text = 'He has left.';", 'He'),
    withBannedWords('const text = <p>Block him?</p>;', 'him'),
    withBannedWords('const text = `${name} and her friends`;', 'her'),
    withBannedWords("const text = '«Hello»';", '«', '»'),
  ],
});

test('eslint.config.mjs enables every plain-words rule in contract and deploy', async () => {
  const errorSeverity = 2;
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const eslint = new ESLint({ cwd: root });
  for (const file of [
    'contract/src/text.ts',
    'deploy/local/start.mjs',
    'deploy/compose/generate-secrets.mjs',
  ]) {
    const { rules: configured } = await eslint.calculateConfigForFile(path.join(root, file));
    for (const name of Object.keys(rules))
      assert.deepEqual(configured[`plain-words/${name}`], [errorSeverity], file);
  }
});
