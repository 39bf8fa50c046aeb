const compile = (syntax) => ({
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: syntax === 'typescript' ? { syntax, decorators: true } : { syntax },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
});

const project = (displayName, testRegex, extra = {}) => ({
  displayName,
  testEnvironment: 'node',
  testRegex,
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', compile('typescript')],
    '^.+\\.m?js$': ['@swc/jest', compile('ecmascript')],
  },
  // Nest 12 is ESM only; Jest runs CommonJS, so its packages are compiled like our own.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  ...extra,
});

/** For tests with stores or processes: in CI, a failed test is retried once (docs/decisions/0007-a-second-try.md). */
// In CI, retries a failed test once.
const secondTry = { setupFilesAfterEnv: ['<rootDir>/src/testing/second-try.setup.ts'] };

export default {
  projects: [
    project('unit', ['/src/.*\\.spec\\.ts$']),
    project('integration', ['/src/.*\\.integration-spec\\.ts$'], secondTry),
    project('process', ['/test/.*\\.e2e-spec\\.ts$'], secondTry),
    project('failover', ['/test/.*\\.failover-spec\\.ts$'], secondTry),
    project('drill', ['/test/.*\\.drill-spec\\.ts$']),
    project('cluster', ['/test/.*\\.cluster-spec\\.ts$']),
    project('pooler', ['/test/.*\\.pooler-spec\\.ts$']),
    project('replica', ['/test/.*\\.replica-spec\\.ts$']),
  ],
};
