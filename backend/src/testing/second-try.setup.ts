/**
 * Set-up of the tests that start stores or processes, which compete with the tests for the CPU: a correct test can time
 * out. In CI, Jest therefore retries a failed test once, and the summary lists the tests that passed only on the retry
 * (docs/decisions/0007-a-second-try.md).
 */
if (process.env.CI === 'true') jest.retryTimes(1, { logErrorsBeforeRetry: true });
