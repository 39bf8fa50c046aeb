import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Response, Test } from 'supertest';
import {
  SOCKET_IDENTITY_PORT,
  type SocketIdentity,
  type SocketIdentityPort,
} from '../platform/realtime/socket-identity.port';
import { userChannel } from '../platform/redis/redis.keys';
import { REDIS } from '../platform/redis/redis.module';
import { startTestApi, type TestApi } from './test-api.harness';

export type Browser = ReturnType<TestApi['openBrowser']>;

/** The password of every registered test account. */
export const PASSWORD = 'correct horse';

export const createEmail = (): string => `${randomUUID()}@example.org`;

/** A browser with a new login. */
export interface SignedInBrowser {
  browser: Browser;
  userId: number;
  /** The session cookie, as the browser sends it. */
  cookie: string;
}

/** Extracts the session cookie that a response sets, as a browser sends it; undefined when it sets none. */
export const readSessionCookie = (response: Response): string | undefined =>
  response
    .get('Set-Cookie')
    ?.find((cookie) => cookie.startsWith('thaw.sid='))
    ?.split(';')[0];

/** An api replica on real stores, and the HTTP calls of tests about accounts and logins. */
export class TestAccounts {
  private constructor(readonly api: TestApi) {}

  static async start(): Promise<TestAccounts> {
    return new TestAccounts(await startTestApi());
  }

  close(): Promise<void> {
    return this.api.close();
  }

  openBrowser(): Browser {
    return this.api.openBrowser();
  }

  /** Registers an account with `PASSWORD` and stays signed in. */
  async register({ browser = this.openBrowser(), email = createEmail() } = {}): Promise<
    SignedInBrowser & { email: string }
  > {
    const response = await browser.post('/api/register').send({ email, password: PASSWORD }).expect(201);
    return { browser, email, userId: response.body.user.id, cookie: readSessionCookie(response)! };
  }

  async startAnonymousUser(browser = this.openBrowser()): Promise<SignedInBrowser> {
    const response = await browser.post('/api/anonymous').expect(201);
    return { browser, userId: response.body.user.id, cookie: readSessionCookie(response)! };
  }

  /** Attempts a login, by default with `PASSWORD` and in a new browser. */
  logIn(email: string, { browser = this.openBrowser(), password = PASSWORD } = {}): Test {
    return browser.post('/api/login').send({ email, password });
  }

  /** Reads the user's own profile with a cookie. @returns the status: 200, or 401 if the cookie is not valid. */
  async readProfileStatus(cookie: string, userId: number): Promise<number> {
    return (await this.openBrowser().get(`/api/user/${userId}`).set('Cookie', cookie)).status;
  }

  /** Authenticates a socket by its cookie. @returns null if the cookie is not valid. */
  identifySocket(cookie: string): Promise<SocketIdentity | null> {
    return this.api.app
      .get<SocketIdentityPort>(SOCKET_IDENTITY_PORT)
      .identify({ headers: { cookie }, method: 'GET', url: '/ws', httpVersionMajor: 1 } as never);
  }

  /** Runs `work`. @returns the messages that were published on the user's channel meanwhile. */
  async recordMessagesTo(userId: number, work: () => Promise<unknown>): Promise<object[]> {
    const subscriber = this.api.app
      .get<Redis>(REDIS)
      .duplicate({ lazyConnect: true, enableOfflineQueue: true });
    const messages: object[] = [];
    await subscriber.connect();
    await subscriber.subscribe(userChannel(userId));
    subscriber.on('message', (_channel, message) => messages.push(JSON.parse(message) as object));
    await work();
    // Redis answers in order: all messages published before the answer have been received.
    await subscriber.ping();
    subscriber.disconnect();
    return messages;
  }
}
