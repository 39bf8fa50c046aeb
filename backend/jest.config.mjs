const createSwcOptions = (syntax) => ({
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
    '^.+\\.ts$': ['@swc/jest', createSwcOptions('typescript')],
    '^.+\\.m?js$': ['@swc/jest', createSwcOptions('ecmascript')],
  },
  // Nest 12 is ESM only; Jest runs CommonJS, so its packages are compiled like our own.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  ...extra,
});

/**
 * Retries a failed test once in CI (docs/decisions/0007-a-second-try.md). The projects that use it need stores or
 * processes and run in `npm test`. The projects after them run only in `npm run test:long` or `npm run test:optional`.
 */
const secondTry = { setupFilesAfterEnv: ['<rootDir>/src/testing/second-try.setup.ts'] };

export default {
  // Jest keeps the modules of the test files that a worker has run. Without a limit, a worker grows to 2 GB.
  workerIdleMemoryLimit: '500MB',
  projects: [
    project('unit', ['/src/.*\\.spec\\.ts$']),
    project('integration', ['/src/.*\\.integration-spec\\.ts$'], secondTry),
    project('process', ['/test/.*\\.e2e-spec\\.ts$'], secondTry),
    // Kills primaries of a Redis Cluster.
    project('failover', ['/test/.*\\.failover-spec\\.ts$'], secondTry),
    // Restores a backup, and searches for texts of a deleted user.
    project('drill', ['/test/.*\\.drill-spec\\.ts$']),
    // Lets a Redis Cluster fail over or move slots, and Sentinels fail over.
    project('cluster', ['/test/.*\\.cluster-spec\\.ts$']),
    // Puts PgBouncer between the application and PostgreSQL.
    project('pooler', ['/test/.*\\.pooler-spec\\.ts$']),
    // Reads from a streaming replica of PostgreSQL.
    project('replica', ['/test/.*\\.replica-spec\\.ts$']),
  ],
};
