import { type HttpErrorBody, type HttpErrorCode } from '@thaw/contract/error-codes';
import { noteServerDate } from '@/lib/server-clock';

/** A non-success response. `message` is exactly `<status>: <body>`, as §8 of the product specification requires. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    private readonly body: string,
  ) {
    super(`${status}: ${body}`);
  }

  /** The server's message, suitable for users; undefined if the server sent none. */
  get serverMessage(): string | undefined {
    const { message } = this.parseBody();
    return typeof message === 'string' ? message : undefined;
  }

  /** The code of the error; undefined if the server sent none. */
  get code(): HttpErrorCode | undefined {
    return this.parseBody().code;
  }

  private parseBody(): Partial<HttpErrorBody> {
    try {
      return (JSON.parse(this.body) as Partial<HttpErrorBody> | null) ?? {};
    } catch {
      return {};
    }
  }
}

let handleApiError = (_error: ApiError): void => undefined;

/**
 * Sets the handler of all errors, in place of an earlier one. It is called for every non-success response, before the
 * promise of its request rejects.
 */
export const setApiErrorHandler = (handle: (error: ApiError) => void): void => {
  handleApiError = handle;
};

/** Replaces the status text, which responses over HTTP/2 do not have. */
const statusTexts: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/**
 * Reports a non-success response to the handler that `setApiErrorHandler` has set.
 * @returns the error of the response, for the caller to throw
 */
export const reportApiError = async (
  response: Pick<Response, 'status' | 'statusText' | 'text'>,
): Promise<ApiError> => {
  const { status, statusText } = response;
  const body = (await response.text()) || statusText || statusTexts[status] || '';
  const error = new ApiError(status, body);
  handleApiError(error);
  return error;
};

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Long enough for a slow connection; without a timeout a stalled network would block a form for minutes. */
const defaultTimeoutMs = 15_000;

/**
 * Sends a request with the session cookie and the body as JSON.
 * @param timeoutMs limit for the whole request, 15 s by default
 * @returns the parsed JSON; undefined for an empty response
 * @throws ApiError on a non-success status; the error of `fetch` when no response arrives in time; a SyntaxError for a
 * successful response that is not JSON
 */
export const request = async (
  method: HttpMethod,
  url: string,
  body?: unknown,
  timeoutMs = defaultTimeoutMs,
): Promise<unknown> => {
  const content: Pick<RequestInit, 'headers' | 'body'> =
    body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const sentAtMs = Date.now();
  const response = await fetch(url, {
    method,
    credentials: 'include',
    signal: AbortSignal.timeout(timeoutMs),
    ...content,
  });
  // Fake responses of tests have no headers.
  noteServerDate((response as Partial<Response>).headers?.get('Date'), sentAtMs, Date.now());
  if (!response.ok) throw await reportApiError(response);
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
};
