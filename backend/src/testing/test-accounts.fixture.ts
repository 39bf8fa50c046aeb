import { randomUUID } from 'node:crypto';
import type { Response, Test } from 'supertest';
import {
  SOCKET_IDENTITY_PORT,
  type SocketIdentity,
  type SocketIdentityPort,
} from '../platform/realtime/socket-identity.port';
import { userChannel } from '../platform/redis/redis.keys';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { REDIS } from '../platform/redis/redis.module';
import { startTestApi, type TestApi } from './test-api.harness';
import { subscribeToChannels } from './test-redis.harness';

export type Browser = ReturnType<TestApi['openBrowser']>;

/** The password of every account that `TestAccounts` registers. */
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

/** An api replica on real stores, and the requests that tests of accounts and logins send to it. */
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

  /** Requests a user's profile with their cookie. @returns the status: 200, or 401 if the cookie is not valid. */
  async readProfileStatus(cookie: string, userId: number): Promise<number> {
    return (await this.openBrowser().get(`/api/user/${userId}`).set('Cookie', cookie)).status;
  }

  /** Authenticates a socket by its cookie. @returns null if the cookie is not valid. */
  identifySocket(cookie: string): Promise<SocketIdentity | null> {
    const identities = this.api.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    // `identify` reads only these fields of the request.
    const request = { headers: { cookie }, method: 'GET', url: '/ws', httpVersionMajor: 1 };
    return identities.identify(request as never);
  }

  /** @returns the messages that are published on the user's channel while `work` runs. */
  async recordChannelMessages(userId: number, work: () => Promise<unknown>): Promise<object[]> {
    const messages: object[] = [];
    const redis = this.api.app.get<RedisClient>(REDIS);
    const subscription = await subscribeToChannels(
      process.env.REDIS_URL ?? '',
      redis,
      [userChannel(userId)],
      (_channel, message) => messages.push(JSON.parse(message) as object),
    );
    await work();
    await subscription.waitUntilReceived();
    subscription.close();
    return messages;
  }
}
