import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { plainWords } from './deploy/lint/plain-words.mjs';

const typeCheckedFiles = [
  'contract/**/*.ts',
  'backend/**/*.ts',
  'frontend/**/*.{ts,tsx}',
  'deploy/k6/**/*.{ts,js}',
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      '.thaw/**',
      '**/*-fixture/**',
      '**/test-results/**',
    ],
  },
  js.configs.recommended,
  {
    files: typeCheckedFiles,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Many functions without `await` are async because their type requires a promise.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // Nest reads the types of decorated constructors and parameters at run time, so those imports must stay values.
    files: ['backend/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // Tests may use untyped response bodies and `!`, because a wrong assumption makes them fail.
    files: [
      '**/*.{spec,integration-spec,e2e-spec,drill-spec,test}.{ts,tsx}',
      'backend/src/testing/**',
      'backend/test/**',
    ],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['frontend/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  {
    // Globals of Node.js, except for k6 scripts, which k6 runs itself.
    files: ['**/*.{js,mjs,cjs}'],
    ignores: ['deploy/k6/**/*.js'],
    languageOptions: { globals: globals.node },
  },
  { files: ['frontend/public/**/*.js'], languageOptions: { globals: globals.browser } },
  {
    // Bans the words of deploy/lint/banned-words.mjs, and comments and test titles that are too wide.
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    plugins: { 'plain-words': plainWords },
    rules: {
      'plain-words/comments': 'error',
      'plain-words/identifiers': 'error',
      'plain-words/test-titles': 'error',
      'plain-words/strings': 'error',
    },
  },
  {
    // Strings may contain banned words in fixed texts of the product, sample messages, the word lists, and tests.
    files: [
      'contract/src/questions-*.ts',
      'frontend/src/features/landing/**/{copy,samples}*.ts',
      'deploy/lint/**',
      '**/*.{spec,integration-spec,e2e-spec,drill-spec,test}.{ts,tsx,mjs}',
    ],
    rules: { 'plain-words/strings': 'off' },
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
);
