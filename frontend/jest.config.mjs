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

export default {
  testEnvironment: '<rootDir>/jest.environment.ts',
  roots: ['<rootDir>/src'],
  // A bound on what hangs, not on how busy the machine is.
  testTimeout: 30_000,
  testRegex: '\\.spec\\.tsx?$',
  setupFilesAfterEnv: ['<rootDir>/src/testing/jest-setup.ts'],
  moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' },
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', compile('typescript')],
    '^.+\\.m?js$': ['@swc/jest', compile('ecmascript')],
  },
};
