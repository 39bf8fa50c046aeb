import { JsonWire } from './wire';

/** An anonymous user with the cookie of their session. */
export interface Visitor {
  userId: number;
  cookie: string;
}

/**
 * Sends a request with a JSON body.
 * @param cookie the cookie of a visitor; none for a request without a session
 * @throws Error when the response is not a success
 */
export const requestHttp = async (
  origin: string,
  method: string,
  path: string,
  body: object,
  cookie?: string,
): Promise<Response> => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(cookie ? { cookie } : {}) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return response;
};

/** Creates an anonymous account, with a gender if one is given. */
export const createVisitor = async (origin: string, gender?: 'male' | 'female'): Promise<Visitor> => {
  const response = await requestHttp(origin, 'POST', '/api/anonymous', {});
  const cookie = response.headers
    .getSetCookie()
    .map((setCookie) => setCookie.split(';')[0])
    .join('; ');
  const { user } = (await response.json()) as { user: { id: number } };
  if (gender) await requestHttp(origin, 'PATCH', `/api/user/${user.id}`, { gender }, cookie);
  return { userId: user.id, cookie };
};

const MAX_ATTEMPTS = 5;

/** Opens an authenticated socket of a visitor. Tries several times, because a busy server may refuse a connection. */
export const openAuthenticatedSocket = async (
  origin: string,
  { userId, cookie }: Visitor,
): Promise<JsonWire> => {
  for (let attempt = 1; ; attempt += 1) {
    let wire: JsonWire | undefined;
    try {
      wire = await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`, { headers: { cookie } });
      await wire.request('authenticate', { userId }, 'authenticated');
      return wire;
    } catch (error) {
      wire?.close();
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
};
