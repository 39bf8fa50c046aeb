/** @returns the options of SWC, which compiles the tests and what they import. */
const createCompilerOptions = (syntax) => ({
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: syntax === 'typescript' ? { syntax, tsx: true } : { syntax },
    transform: { react: { runtime: 'automatic' } },
  },
});

const createProject = (displayName, options) => ({
  displayName,
  moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-styles.ts', '^@/(.*)$': '<rootDir>/src/$1' },
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', createCompilerOptions('typescript')],
    '^.+\\.m?js$': ['@swc/jest', createCompilerOptions('ecmascript')],
  },
  ...options,
});

export default {
  // Only stops tests that hang, so it is long enough for a busy machine.
  testTimeout: 30_000,
  projects: [
    createProject('unit', {
      testEnvironment: '<rootDir>/jest.environment.ts',
      roots: ['<rootDir>/src'],
      testRegex: '\\.spec\\.tsx?$',
      setupFilesAfterEnv: ['<rootDir>/src/testing/jest-setup.ts'],
    }),
    // Starts processes of the product, and connects the state of its page to them, without rendering the page.
    createProject('process', {
      testEnvironment: 'node',
      roots: ['<rootDir>/test'],
      testRegex: '\\.e2e-spec\\.ts$',
      // Retries a failed test once in CI (docs/decisions/0007-a-second-try.md).
      setupFilesAfterEnv: ['<rootDir>/../backend/src/testing/second-try.setup.ts'],
    }),
  ],
};
