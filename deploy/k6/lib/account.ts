import http, { CookieJar, type RefinedParams, type RefinedResponse } from 'k6/http';
import type { Gender } from '../../../contract/src/scalars.ts';
import { baseUrl } from './settings.ts';

/** A signed-in user: the id, and the value of the `Cookie` header. */
export interface Account {
  id: number;
  cookie: string;
}

export type TextResponse = RefinedResponse<'text'>;

/**
 * Calls the HTTP API as a user. Cookies are passed explicitly: k6 keeps one cookie jar for each virtual user, but in
 * these scripts one virtual user acts as several users, and k6's WebSockets do not send the cookies of the jar.
 * @param path below `/api`, such as `/user/7`
 * @param route the path with placeholders, such as `/user/{id}`; the results group the requests by it
 */
export const callApi = (
  method: string,
  path: string,
  options: { account?: Account; body?: object; route?: string } = {},
): TextResponse => {
  const { account, body, route = path } = options;
  const params: RefinedParams<'text'> = {
    responseType: 'text',
    jar: new CookieJar(),
    headers: {
      ...(account && { Cookie: account.cookie }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    tags: { name: `${method} /api${route}` },
  };
  return http.request(method, `${baseUrl}/api${path}`, body ? JSON.stringify(body) : null, params);
};

/** Returns a `Cookie` header with the cookies that a response sets. */
export const buildCookieHeader = (response: TextResponse): string =>
  Object.values(response.cookies)
    .flat()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');

/** Checks the status of a response. @returns the parsed body. @throws Error if the response has another status */
export const expectStatus = <Body>(response: TextResponse, status: number): Body => {
  if (response.status !== status)
    throw new Error(`${response.request.method} ${response.url}: ${response.status} ${response.body}`);
  return (response.body ? JSON.parse(response.body) : undefined) as Body;
};

/** Signs in as a new anonymous user and chooses the gender. @throws Error when the server refuses */
export const createAccount = (gender: Gender): Account => {
  const response = callApi('POST', '/anonymous', { body: {} });
  const { user } = expectStatus<{ user: { id: number } }>(response, 201);
  const account = { id: user.id, cookie: buildCookieHeader(response) };
  expectStatus(callApi('PATCH', `/user/${user.id}`, { account, body: { gender }, route: '/user/{id}' }), 200);
  return account;
};

/** Sends a friend request, or accepts the friend's. @returns the request. @throws Error when the server refuses */
export const requestFriend = (account: Account, friendId: number): { id: number; status: string } => {
  const body = { requesterId: account.id, addresseeId: friendId };
  const response = callApi('POST', '/friends/request', { account, body });
  // 200: the request exists already, or this call accepts a request of the friend. Otherwise it must be a new one.
  const expectedStatus = response.status === 200 ? 200 : 201;
  return expectStatus(response, expectedStatus);
};
