import { type HttpMethod } from '@/lib/api-client';

/** The body of a successful response, undefined for an empty one, or a `Refusal`. */
type Reply = object | undefined;
type CreateReply = (requestBody: unknown) => Reply | Promise<Reply>;

/** An error response of a fake route. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: unknown = { message: 'no' },
  ) {}
}

/** Creates the part of a `Response` that `request` in api-client.ts reads. */
const createResponse = (status: number, body: unknown) => {
  const text = body === undefined ? '' : JSON.stringify(body);
  return { ok: status < 400, status, statusText: '', text: () => Promise.resolve(text) };
};

/** A call of `fetch` by the page. */
export interface Call {
  method: string;
  url: string;
  body: unknown;
}

/**
 * Replaces `fetch`. Each route, `METHOD /path`, has a reply or a function that creates it. Requests without a route
 * receive a 404.
 * @returns the `routes`, which a test may change later, and all `calls` up to now
 */
export const fakeServer = (routes: Partial<Record<`${HttpMethod} ${string}`, Reply | CreateReply>>) => {
  const calls: Call[] = [];
  const fakeFetch = async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const requestBody: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    calls.push({ method, url, body: requestBody });
    const key = `${method} ${url}` as `${HttpMethod} ${string}`;
    if (!(key in routes)) return createResponse(404, { message: 'not there' });
    const route = routes[key];
    // The cast is needed because a reply is any object, and to the compiler also any function.
    const reply = typeof route === 'function' ? await (route as CreateReply)(requestBody) : route;
    return reply instanceof Refusal ? createResponse(reply.status, reply.body) : createResponse(200, reply);
  };
  Object.assign(globalThis, { fetch: fakeFetch });
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
