/**
 * Tests with real stores and processes share two cores with them. In CI, a failed test is retried once; the summary
 * lists the tests that passed only then (docs/decisions/0007-a-second-try.md).
 */
if (process.env.CI === 'true') jest.retryTimes(1, { logErrorsBeforeRetry: true });
