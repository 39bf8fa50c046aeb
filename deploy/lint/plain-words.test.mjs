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

/** A fixture in which a rule must find these words, in this order. */
const createFinding = (code, ...words) => ({
  code,
  errors: words.map((word) => ({ messageId: 'word', ...locateWord(code, word) })),
});
/** The place of a word in a fixture, 1-based as RuleTester counts. */
const locateWord = (code, word) => {
  const lines = code.slice(0, code.indexOf(word)).split('\n');
  return { line: lines.length, column: lines.at(-1).length + 1 };
};

const COMMENT_FIXTURES = [
  createFinding('// The partner and his socket.', 'his'),
  createFinding('/** Told to whoever waits. */', 'Told', 'whoever'),
  createFinding('// Kept for\n/* for\n * ever. */', 'for\n * ever'),
  createFinding('/* Refetched anew. */', 'anew'),
  createFinding('// The «user».', '«', '»'),
  createFinding('// The query is dear.', 'dear'),
  createFinding('// One cell of the lane.', 'cell', 'lane'),
  createFinding('const script = `\n-- he left\nreturn 1`;', 'he'),
  { code: `// ${'word '.repeat(24)}`, errors: [{ messageId: 'tooLong', line: 1 }] },
  { code: `/**\n * short\n * ${'word '.repeat(24)}\n */`, errors: [{ messageId: 'tooLong', line: 3 }] },
];
const IDENTIFIER_FIXTURES = [
  createFinding('const tellPartner = () => {};', 'tellPartner'),
  createFinding('const hisSocket = 1;', 'hisSocket'),
  createFinding('function keepForEver() {}', 'keepForEver'),
  createFinding('class Hub { #heard = 1; tell() {} }', '#heard', 'tell'),
  createFinding('interface Person { isNobody: boolean }', 'isNobody'),
  createFinding('const send = (whoever: string) => whoever;', 'whoever'),
  createFinding('const { told: isTold, ...lately } = frame;', 'isTold', 'lately'),
];
const TITLE_FIXTURES = [
  createFinding("it('tells the partner', () => {});", 'tells'),
  createFinding("it.each([1])('says nothing to nobody %i', () => {});", 'nobody'),
  createFinding('describe(`the «chat»`, () => {});', '«', '»'),
  createFinding("test('keeps it for ever', () => {});", 'for ever'),
  createFinding("t.test('a user and his chat', () => {});", 'his'),
  { code: `it('${'word '.repeat(25)}', () => {});`, errors: [{ messageId: 'tooLong', line: 1 }] },
];
const STRING_FIXTURES = [
  createFinding("const text = 'He has left.';", 'He'),
  createFinding('const text = <p>Block him?</p>;', 'him'),
  createFinding('const text = `${name} and her friends`;', 'her'),
  createFinding("const text = '«Hello»';", '«', '»'),
];

tester.run('comments', rules.comments, {
  valid: [
    '// Here, the other user: "themselves" is one word, and so are intelligent, mine, where and together.',
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
  valid: ["const text = 'Somebody told you here.';", "it('tests her', () => {});", "const path = '/he/his';"],
  invalid: STRING_FIXTURES,
});

test('eslint.config.mjs enables every plain-words rule in contract and deploy', async () => {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const eslint = new ESLint({ cwd: root });
  for (const file of [
    'contract/src/text.ts',
    'deploy/local/start.mjs',
    'deploy/compose/generate-secrets.mjs',
  ]) {
    const { rules: configured } = await eslint.calculateConfigForFile(path.join(root, file));
    for (const name of Object.keys(rules)) assert.deepEqual(configured[`plain-words/${name}`], [2], file);
  }
});
