import { type HttpMethod } from '@/lib/api-client';

type Answer = object | undefined;
type Route = Answer | ((body: unknown) => Answer | Promise<Answer>);

/** A non-success response. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: unknown = { message: 'no' },
  ) {}
}

export interface Call {
  method: string;
  url: string;
  body: unknown;
}

/** Replaces `fetch`. Each route, `METHOD /path`, has a response or a function of the body; other requests get a 404. */
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
      const answer =
        typeof route === 'function'
          ? await (route as (body: unknown) => Answer | Promise<Answer>)(parsed)
          : route;
      return answer instanceof Refusal ? toResponse(answer.status, answer.body) : toResponse(200, answer);
    },
  });
  return {
    routes,
    calls,
    count: (method: HttpMethod, url: string): number =>
      calls.filter((call) => call.method === method && call.url === url).length,
  };
};
