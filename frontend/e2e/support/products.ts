import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { startStack, type Stack } from '../../../deploy/local/thaw-stack.mjs';

/** Two replicas behind nginx, a worker, and stores that no other worker of these tests shares: one queue of strangers. */
const startProduct = (): Promise<Stack> =>
  startStack({
    replicas: 2,
    workers: 1,
    env: {
      DATABASE_URL: '',
      REDIS_URL: '',
      // The same two people meet again and again here, and one machine plays all of them.
      REMATCH_COOLDOWN_S: '0',
      LIMITS_PROFILE: 'load',
    },
  });

/**
 * Playwright's global set-up: a product for each place among the workers, started when it is first asked for. It
 * outlives the workers, which Playwright ends after a failed test and between two projects.
 */
const provideProducts = async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.THAW_URL) return undefined;
  const products = new Map<string, Promise<Stack>>();
  const broker = createServer((request, response) => {
    const place = request.url ?? '';
    const product = products.get(place) ?? startProduct();
    products.set(place, product);
    product.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(broker, 'listening');
  process.env.THAW_PRODUCTS_URL = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
  return async () => {
    broker.close();
    const started = await Promise.allSettled(products.values());
    await Promise.all(
      started.flatMap((product) => (product.status === 'fulfilled' ? [product.value.stop()] : [])),
    );
  };
};

export default provideProducts;

/** The address of the product of this place; of the one that THAW_URL names, where there is one. */
export const productOf = async (place: number): Promise<string> => {
  if (process.env.THAW_URL) return process.env.THAW_URL;
  const answer = await fetch(`${process.env.THAW_PRODUCTS_URL}/${place}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The product did not start: ${text}`);
  return text;
};
