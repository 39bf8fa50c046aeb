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
 * Playwright's global set-up. Starts the product of each parallel index on first use. Products outlive the workers,
 * which Playwright restarts after a failed test and between projects: a restarted worker keeps its parallel index.
 * @returns the global tear-down; undefined if THAW_URL is set, the address of a product that already runs
 */
const provideProducts = async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.THAW_URL) return undefined;
  const products = new Map<string, Promise<Stack>>();
  const getProduct = (parallelIndex: string): Promise<Stack> => {
    const product = products.get(parallelIndex) ?? startProduct();
    products.set(parallelIndex, product);
    return product;
  };

  const moderators = new Map<string, Promise<ModeratorAccount>>();
  /** All tests of a product share its moderators, because each appointment has to start a process. */
  const getModerator = async (parallelIndex: string, number: string): Promise<ModeratorAccount> => {
    const product = await getProduct(parallelIndex);
    const key = `${parallelIndex} ${number}`;
    const moderator = moderators.get(key) ?? appointModerator(product);
    moderators.set(key, moderator);
    return moderator;
  };

  /** `/<parallel index>` returns the product's address, `/<parallel index>?moderator=<n>` a moderator's account. */
  const answer = async (requestUrl: string): Promise<string> => {
    const { pathname, searchParams } = new URL(requestUrl, 'http://127.0.0.1');
    const parallelIndex = pathname.slice('/'.length);
    const moderatorNumber = searchParams.get('moderator');
    if (moderatorNumber === null) return (await getProduct(parallelIndex)).url;
    return JSON.stringify(await getModerator(parallelIndex, moderatorNumber));
  };

  const productServer = createServer((request, response) => {
    answer(request.url ?? '')
      .then((body) => response.end(body))
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

/** Returns the address of a worker's product, which the first request starts, or THAW_URL if it is set. */
export const requestProductAddress = async (parallelIndex: number): Promise<string> =>
  process.env.THAW_URL ?? (await requestFromProductServer(String(parallelIndex)));

/**
 * Returns the account of the n-th moderator of a worker's product, counted from 1. The first request registers the
 * account. Not available with THAW_URL.
 */
export const requestModerator = async (parallelIndex: number, number: number): Promise<ModeratorAccount> =>
  JSON.parse(await requestFromProductServer(`${parallelIndex}?moderator=${number}`)) as ModeratorAccount;
