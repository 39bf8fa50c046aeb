import { type HttpMethod } from '@/lib/api-client';

type FakeResponse = object | undefined;
type Route = FakeResponse | ((body: unknown) => FakeResponse | Promise<FakeResponse>);

/** A non-success response of a fake route. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: unknown = { message: 'no' },
  ) {}
}

/** A request that the page has sent. */
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
      const response =
        typeof route === 'function'
          ? await (route as (body: unknown) => FakeResponse | Promise<FakeResponse>)(parsed)
          : route;
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
