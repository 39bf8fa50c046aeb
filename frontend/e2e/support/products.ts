import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { startStack, type Stack } from '../../../deploy/local/thaw-stack.mjs';

// A product is a complete running Thaw. Each Playwright worker has its own, so that tests of other workers do not join
// its queue. Products are started in the process of Playwright's global set-up; workers ask it over HTTP.

/** Starts two replicas behind nginx, a Thaw worker, PostgreSQL and Redis. */
const startProduct = (): Promise<Stack> =>
  startStack({
    replicas: 2,
    workers: 1,
    env: {
      DATABASE_URL: '',
      REDIS_URL: '',
      // Tests match the same two users repeatedly, and the requests of all users come from one address.
      REMATCH_COOLDOWN_S: '0',
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
 */
const provideProducts = async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.THAW_URL) return undefined;
  const products = new Map<string, Promise<Stack>>();
  /** By worker index and number. Tests of a product share moderators, because appointing one starts a process. */
  const moderators = new Map<string, Promise<ModeratorAccount>>();
  const productServer = createServer((request, response) => {
    const { pathname: workerIndex, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const moderator = searchParams.get('moderator');
    const product = products.get(workerIndex) ?? startProduct();
    products.set(workerIndex, product);
    product
      .then(async (stack) => {
        if (moderator === null) return response.end(stack.url);
        const key = `${workerIndex} ${moderator}`;
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
    const started = await Promise.allSettled(products.values());
    await Promise.all(
      started.flatMap((product) => (product.status === 'fulfilled' ? [product.value.stop()] : [])),
    );
  };
};

export default provideProducts;

const askProductServer = async (path: string): Promise<string> => {
  const response = await fetch(`${process.env.THAW_PRODUCTS_URL}/${path}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};

/** Returns the address of the product of this worker index, or THAW_URL if it is set. */
export const findProductAddress = async (workerIndex: number): Promise<string> =>
  process.env.THAW_URL ?? (await askProductServer(String(workerIndex)));

/** Returns the account of the n-th moderator of this worker's product. Impossible with THAW_URL. */
export const findModerator = async (workerIndex: number, number: number): Promise<ModeratorAccount> =>
  JSON.parse(await askProductServer(`${workerIndex}?moderator=${number}`)) as ModeratorAccount;
