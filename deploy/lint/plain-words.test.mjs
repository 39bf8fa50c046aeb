import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ESLint, RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { plainWords } from './plain-words.mjs';

RuleTester.describe = describe;
RuleTester.it = it;
RuleTester.itOnly = it.only;
RuleTester.afterAll = after;

const tester = new RuleTester({
  languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
});
const { rules } = plainWords;

/** More than the 120 columns that the rules allow. */
const LONG_TEXT = 'word '.repeat(25);

/** Creates a fixture in which a rule must find these words, in this order. */
const createInvalidFixture = (code, ...words) => ({
  code,
  errors: words.map((word) => ({ messageId: 'word', ...locateWord(code, word) })),
});
/** Finds the line and the column of a word in a fixture. Both start at 1, as RuleTester counts them. */
const locateWord = (code, word) => {
  const lines = code.slice(0, code.indexOf(word)).split('\n');
  return { line: lines.length, column: lines.at(-1).length + 1 };
};

const COMMENT_FIXTURES = [
  createInvalidFixture('// The partner and his socket.', 'his'),
  createInvalidFixture('/** Told to whoever waits. */', 'Told', 'whoever'),
  // The words of a phrase may be on two lines of one comment.
  createInvalidFixture('/* Kept for\n * ever. */', 'for\n * ever'),
  createInvalidFixture('/* Refetched anew. */', 'anew'),
  createInvalidFixture('// The «user».', '«', '»'),
  createInvalidFixture('// The query is dear.', 'dear'),
  createInvalidFixture('// One cell of the lane.', 'cell', 'lane'),
  // A comment of a Lua script.
  createInvalidFixture('const script = `\n-- he left\nreturn 1`;', 'he'),
  { code: `// ${LONG_TEXT}`, errors: [{ messageId: 'tooLong', line: 1 }] },
  { code: `/**\n * short\n * ${LONG_TEXT}\n */`, errors: [{ messageId: 'tooLong', line: 3 }] },
];
const IDENTIFIER_FIXTURES = [
  createInvalidFixture('const tellPartner = () => {};', 'tellPartner'),
  createInvalidFixture('const hisSocket = 1;', 'hisSocket'),
  createInvalidFixture('function keepForEver() {}', 'keepForEver'),
  createInvalidFixture('class Hub { #heard = 1; tell() {} }', '#heard', 'tell'),
  createInvalidFixture('interface Person { isNobody: boolean }', 'isNobody'),
  createInvalidFixture('const send = (whoever: string) => whoever;', 'whoever'),
  createInvalidFixture('const { told: isTold, ...lately } = frame;', 'isTold', 'lately'),
];
const TITLE_FIXTURES = [
  createInvalidFixture("it('tells the partner', () => {});", 'tells'),
  createInvalidFixture("it.each([1])('says nothing to nobody %i', () => {});", 'nobody'),
  createInvalidFixture('describe(`the «chat»`, () => {});', '«', '»'),
  createInvalidFixture("test('keeps it for ever', () => {});", 'for ever'),
  createInvalidFixture("t.test('a user and his chat', () => {});", 'his'),
  { code: `it('${LONG_TEXT}', () => {});`, errors: [{ messageId: 'tooLong', line: 1 }] },
];
const STRING_FIXTURES = [
  createInvalidFixture("const text = 'He has left.';", 'He'),
  createInvalidFixture('const text = <p>Block him?</p>;', 'him'),
  createInvalidFixture('const text = `${name} and her friends`;', 'her'),
  createInvalidFixture("const text = '«Hello»';", '«', '»'),
];

tester.run('comments', rules.comments, {
  valid: [
    '// Words that contain banned words: Here, other, themselves, intelligent, where, together.',
    // A phrase in two comments.
    '// Kept for\n// ever.',
    '// Two gaps can be told apart by their ids, and the server cannot tell whether the frame arrived.',
    '// The generic cell rate algorithm.',
    '// The word `nobody` in backticks is a name.',
    "const text = 'whoever'; // A text of the product.",
  ],
  invalid: COMMENT_FIXTURES,
});
tester.run('identifiers', rules.identifiers, {
  valid: [
    'const intelligent = 1; const here = 1; const hereafter = 1; const cellar = 1; const history = 1;',
    // Names that another module declares.
    "import { tell } from 'elsewhere'; tell(elsewhere.nobody);",
    'const { lately: recently } = frame;',
    'const theHero = 1; const shelter = 1; const spaced = 1; const airplanes = 1;',
  ],
  invalid: IDENTIFIER_FIXTURES,
});
tester.run('test-titles', rules['test-titles'], {
  valid: [
    "it('rejects a message from a user who is not in the session', () => {});",
    "pattern.test('told');",
  ],
  invalid: TITLE_FIXTURES,
});
tester.run('strings', rules.strings, {
  // Texts may contain banned words other than pronouns. Titles are checked by `test-titles`. A part of a path is not a
  // word.
  valid: ["const text = 'Somebody told you here.';", "it('tests her', () => {});", "const path = '/he/his';"],
  invalid: STRING_FIXTURES,
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
