import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { startStack, type Stack } from '../../../deploy/local/thaw-stack.mjs';

// A product is a complete running Thaw. Each Playwright worker has its own product: otherwise its users could be
// matched with users of another worker's tests. The process of Playwright's global set-up starts the products, and the
// workers request their addresses from it over HTTP.

/** Starts two replicas behind nginx, a Thaw worker, PostgreSQL and Redis. */
const startProduct = (): Promise<Stack> =>
  startStack({
    replicas: 2,
    workers: 1,
    env: {
      // Without addresses, the stack starts its own stores.
      DATABASE_URL: '',
      REDIS_URL: '',
      // Tests match the same two users repeatedly.
      REMATCH_COOLDOWN_S: '0',
      // The requests of all users come from one IP address, and would exceed the usual rate limits.
      LIMITS_PROFILE: 'load',
    },
  });

export interface ModeratorAccount {
  email: string;
  password: string;
}

/** Registers a user and makes them a moderator. */
const appointModerator = async (stack: Stack): Promise<ModeratorAccount> => {
  const account = { email: `moderator-${randomUUID()}@example.com`, password: 'correct horse' };
  const registered = await fetch(`${stack.url}/api/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!registered.ok) throw new Error(`The registration of a moderator returned ${registered.status}`);
  await stack.appointModerator(account.email);
  return account;
};

/**
 * Playwright's global set-up. Starts the product of each worker index on first use. Products outlive the workers,
 * because Playwright restarts workers after a failed test and between projects.
 * @returns the global tear-down; undefined with THAW_URL, the address of a product that already runs
 */
const provideProducts = async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.THAW_URL) return undefined;
  const products = new Map<string, Promise<Stack>>();
  /** By worker index and number. The tests of a product share moderators, because each appointment starts a process. */
  const moderators = new Map<string, Promise<ModeratorAccount>>();
  /** Responds to `/<worker index>` with the address of the product, with `?moderator=<n>` with an account. */
  const productServer = createServer((request, response) => {
    // `workerIndex` keeps the leading slash; it is only a key.
    const { pathname: workerIndex, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const moderatorNumber = searchParams.get('moderator');
    const product = products.get(workerIndex) ?? startProduct();
    products.set(workerIndex, product);
    product
      .then(async (stack) => {
        if (moderatorNumber === null) return response.end(stack.url);
        const key = `${workerIndex} ${moderatorNumber}`;
        const account = moderators.get(key) ?? appointModerator(stack);
        moderators.set(key, account);
        response.end(JSON.stringify(await account));
      })
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(productServer, 'listening');
  process.env.THAW_PRODUCTS_URL = `http://127.0.0.1:${(productServer.address() as AddressInfo).port}`;
  return async () => {
    productServer.close();
    const startResults = await Promise.allSettled(products.values());
    await Promise.all(
      startResults.flatMap((result) => (result.status === 'fulfilled' ? [result.value.stop()] : [])),
    );
  };
};

export default provideProducts;

const requestFromProductServer = async (path: string): Promise<string> => {
  const response = await fetch(`${process.env.THAW_PRODUCTS_URL}/${path}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};

/** Returns the address of the product of this worker index, or THAW_URL if it is set. */
export const findProductAddress = async (workerIndex: number): Promise<string> =>
  process.env.THAW_URL ?? (await requestFromProductServer(String(workerIndex)));

/** Returns the account of the n-th moderator of this worker's product, counted from 1. Not available with THAW_URL. */
export const findModerator = async (workerIndex: number, number: number): Promise<ModeratorAccount> =>
  JSON.parse(await requestFromProductServer(`${workerIndex}?moderator=${number}`)) as ModeratorAccount;
