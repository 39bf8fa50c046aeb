/**
 * Tests with real stores and processes share two cores with them. Where nobody watches, what fails is tried once more;
 * the summary names what passed only then (docs/decisions/0007-a-second-try.md).
 */
if (process.env.CI === 'true') jest.retryTimes(1, { logErrorsBeforeRetry: true });
