const compile = (syntax) => ({
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: syntax === 'typescript' ? { syntax, tsx: true } : { syntax },
    transform: { react: { runtime: 'automatic' } },
  },
});

const project = (displayName, more) => ({
  displayName,
  moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-styles.ts', '^@/(.*)$': '<rootDir>/src/$1' },
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', compile('typescript')],
    '^.+\\.m?js$': ['@swc/jest', compile('ecmascript')],
  },
  ...more,
});

export default {
  // Long enough for a busy machine: the timeout is only for tests that hang.
  testTimeout: 30_000,
  projects: [
    project('unit', {
      testEnvironment: '<rootDir>/jest.environment.ts',
      roots: ['<rootDir>/src'],
      testRegex: '\\.spec\\.tsx?$',
      setupFilesAfterEnv: ['<rootDir>/src/testing/jest-setup.ts'],
    }),
    project('process', {
      testEnvironment: 'node',
      roots: ['<rootDir>/test'],
      testRegex: '\\.e2e-spec\\.ts$',
      setupFilesAfterEnv: ['<rootDir>/../backend/src/testing/second-try.setup.ts'],
    }),
  ],
};
