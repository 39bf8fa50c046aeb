import { type HttpMethod } from '@/lib/api-client';

/** The body of a successful response, undefined for an empty one, or a `Refusal`. */
type FakeResponse = object | undefined;
type Respond = (body: unknown) => FakeResponse | Promise<FakeResponse>;
type Route = FakeResponse | Respond;

/** An error response of a fake route. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: unknown = { message: 'no' },
  ) {}
}

/** A call of `fetch` by the page. */
export interface Call {
  method: string;
  url: string;
  body: unknown;
}

/**
 * Replaces `fetch`. Each route, `METHOD /path`, has a response or a function that receives the request body and returns
 * the response. Other requests receive a 404. A test may change `routes` later.
 */
export const fakeServer = (routes: Partial<Record<`${HttpMethod} ${string}`, Route>>) => {
  const calls: Call[] = [];
  /** Creates the part of a `Response` that `request` in api-client.ts reads. */
  const toResponse = (status: number, body: unknown) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    return { ok: status < 400, status, statusText: '', text: () => Promise.resolve(text) };
  };
  Object.assign(globalThis, {
    fetch: async (url: string, { method = 'GET', body }: RequestInit = {}) => {
      const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
      calls.push({ method, url, body: parsed });
      const key = `${method} ${url}` as `${HttpMethod} ${string}`;
      if (!(key in routes)) return toResponse(404, { message: 'not there' });
      const route = routes[key];
      // `object` includes functions, so the compiler needs the cast.
      const response = typeof route === 'function' ? await (route as Respond)(parsed) : route;
      return response instanceof Refusal
        ? toResponse(response.status, response.body)
        : toResponse(200, response);
    },
  });
  return {
    routes,
    calls,
    count: (method: HttpMethod, url: string): number =>
      calls.filter((call) => call.method === method && call.url === url).length,
  };
};

/** Replaces `fetch` with one that always fails, as without a connection to the server. */
export const fakeUnreachableServer = (): void => {
  Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
};
