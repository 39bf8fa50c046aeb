/** The expected body of an error response. Its message is for display and may be any text. */
export const createProblem = (statusCode: number, code: string): object => ({
  statusCode,
  code,
  message: expect.any(String),
});
