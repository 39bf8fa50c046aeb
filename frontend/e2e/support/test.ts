import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  test as base,
  expect,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { type SelfUser } from '@thaw/contract/users';
import { requestProductAddress } from './products.ts';

/** A signed-in user and their page. */
export class Person {
  constructor(
    readonly page: Page,
    readonly user: SelfUser,
  ) {}

  get name(): string {
    return this.user.username;
  }

  heading(name: string) {
    return this.page.getByRole('heading', { name, exact: true });
  }

  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The message field. */
  get field() {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  /** All rows of the message list, including the welcome notice of a random chat. */
  get messages() {
    return this.page.getByRole('region', { name: 'Messages' }).getByRole('listitem');
  }

  /** The rows of the message list that contain a text, in the message itself or in a quote. */
  message(text: string) {
    return this.messages.filter({ hasText: text });
  }

  async pressFind(): Promise<void> {
    await this.button('Find Conversation').click();
  }

  async sendMessage(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Skips the chat, which immediately starts the next search. The partner sees "Chat Ended". */
  async skip(): Promise<void> {
    await this.button('Skip Chat').click();
    await this.button('Confirm').click();
  }
}

export interface NewcomerOptions extends BrowserContextOptions {
  /** Female by default; null if the user has not chosen one yet. */
  gender?: 'male' | 'female' | null;
  /** Runs before the page opens, for example to route its socket. */
  prepare?: (page: Page) => Promise<void>;
}

/** Stores an entry in localStorage before the page opens, as an earlier visit would have done. */
const storeEntry = (context: BrowserContext, key: string, value: string): Promise<unknown> =>
  context.addInitScript(
    (entry) => {
      // This script runs in every document. A blank document has no storage.
      if (!location.protocol.startsWith('http')) return;
      // A value that the page has stored since must not be overwritten.
      if (localStorage.getItem(entry.key) === null) localStorage.setItem(entry.key, entry.value);
    },
    { key, value },
  );

/** Stores the signed-in user in localStorage, as an earlier visit would have done. */
export const storeUser = (context: BrowserContext, user: SelfUser): Promise<unknown> =>
  storeEntry(context, 'thaw-chat-auth', JSON.stringify({ state: { user }, version: 0 }));

/** Signs in a new anonymous user over HTTP and stores them in localStorage. With null, no gender is chosen. */
export const signInByHttp = async (
  context: BrowserContext,
  gender: NewcomerOptions['gender'] = 'female',
): Promise<SelfUser> => {
  const created = await context.request.post('/api/anonymous', { data: {} });
  let { user } = (await created.json()) as { user: SelfUser };
  if (gender) {
    const response = await context.request.patch(`/api/user/${user.id}`, { data: { gender } });
    ({ user } = (await response.json()) as { user: SelfUser });
  }
  await storeUser(context, user);
  return user;
};

/** Adds the errors of all pages to `pageErrors`: CSP violations, uncaught exceptions and console errors. */
const recordErrors = async (context: BrowserContext, pageErrors: string[]): Promise<void> => {
  await context.exposeFunction('reportViolation', (text: string) => pageErrors.push(`CSP: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportViolation } = window as unknown as { reportViolation: (text: string) => void };
      reportViolation(
        `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      );
    });
  });
  context.on('weberror', (error) => pageErrors.push(`thrown: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') pageErrors.push(`console: ${message.text()}`);
  });
};

/** Options that a project of a Playwright configuration sets for its tests. */
export interface DeviceOptions {
  /** Options of every browser context. */
  device: BrowserContextOptions;
  /** The theme of the pages. */
  theme: 'dark' | 'light';
}

interface Fixtures extends DeviceOptions {
  /** Opens a browser context. Unexpected errors in its pages fail the test. */
  openContext: (options?: BrowserContextOptions) => Promise<BrowserContext>;
  /** Opens /chat as a new signed-in user. */
  newcomer: (options?: NewcomerOptions) => Promise<Person>;
  /** Opens /chat as two users in a chat with each other. */
  pair: (first?: NewcomerOptions, second?: NewcomerOptions) => Promise<[Person, Person]>;
  /** Like `pair`, but the users have also become friends. They are still in the random chat with each other. */
  friendsInChat: (first?: NewcomerOptions, second?: NewcomerOptions) => Promise<[Person, Person]>;
  /** Errors of the pages that do not fail the test, such as console errors for 401 responses. */
  expectedErrors: RegExp[];
}

interface WorkerFixtures {
  /** Address of this Playwright worker's product: a complete running Thaw that no other worker uses. */
  address: string;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  address: [
    // eslint-disable-next-line no-empty-pattern -- Playwright requires an object pattern as the first parameter
    async ({}, provide, { parallelIndex }) => provide(await requestProductAddress(parallelIndex)),
    // The first request of an address starts the product.
    { scope: 'worker', timeout: 180_000 },
  ],

  baseURL: async ({ address }, provide) => provide(address),

  expectedErrors: [[], { option: true }],

  device: [{}, { option: true }],

  theme: ['dark', { option: true }],

  openContext: async ({ browser, baseURL, expectedErrors, device, theme }, provide) => {
    const contexts: BrowserContext[] = [];
    const pageErrors: string[] = [];
    await provide(async (options = {}) => {
      const context = await browser.newContext({
        baseURL,
        viewport: { width: 1280, height: 800 },
        locale: 'en-GB',
        timezoneId: 'Europe/Warsaw',
        // Infinite animations keep the CPU busy on a machine without a graphics card.
        reducedMotion: 'reduce',
        ...device,
        ...options,
      });
      contexts.push(context);
      await recordErrors(context, pageErrors);
      // The page is dark unless the user has chosen another theme.
      if (theme !== 'dark') await storeEntry(context, 'thaw-theme', theme);
      return context;
    });
    for (const context of contexts) await context.close();
    const unexpected = pageErrors.filter((text) => !expectedErrors.some((expected) => expected.test(text)));
    expect(unexpected, 'errors of the pages').toEqual([]);
  },

  newcomer: async ({ openContext }, provide) => {
    await provide(async ({ gender, prepare, ...options } = {}) => {
      const context = await openContext(options);
      const user = await signInByHttp(context, gender);
      const page = await context.newPage();
      await prepare?.(page);
      await page.goto('/chat');
      // Connecting takes long on a busy machine, or if the test routes the requests of the page.
      await expect(page.getByText('Connected', { exact: true })).toBeVisible({ timeout: 45_000 });
      return new Person(page, user);
    });
  },

  pair: async ({ newcomer }, provide) => {
    await provide(async (first = {}, second = {}) => {
      const [ada, bob] = await Promise.all([
        newcomer({ gender: 'female', ...first }),
        newcomer({ gender: 'male', ...second }),
      ]);
      await ada.pressFind();
      await bob.pressFind();
      await expect(ada.heading(bob.name)).toBeVisible();
      await expect(bob.heading(ada.name)).toBeVisible();
      return [ada, bob];
    });
  },

  friendsInChat: async ({ pair }, provide) => {
    await provide(async (first, second) => {
      const [ada, bob] = await pair(first, second);
      await befriend(ada, bob);
      return [ada, bob];
    });
  },
});

/** Makes two users friends over HTTP. They must have been in a chat with each other. */
export const befriend = async (requester: Person, addressee: Person): Promise<void> => {
  const sent = await requester.page.request.post('/api/friends/request', {
    data: { requesterId: requester.user.id, addresseeId: addressee.user.id },
  });
  expect(sent.status(), 'friend request').toBe(201);
  const { id } = (await sent.json()) as { id: number };
  const accepted = await addressee.page.request.put(`/api/friends/request/${id}`, {
    data: { status: 'accepted' },
  });
  expect(accepted.status(), 'answer to the friend request').toBe(200);
};

/**
 * Writes a file of `bytes` zeros. The browser reads the file from disk, because Playwright needs seconds to pass a
 * buffer of several megabytes to the browser.
 * @returns the path of the file
 */
export const createZeroFile = (name: string, bytes: number): string => {
  const path = test.info().outputPath(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
};

export { expect };
