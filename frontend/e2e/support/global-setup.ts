import { startStack } from '../../../deploy/local/thaw-stack.mjs';

/** A running product where THAW_URL names one; else two replicas behind nginx, a worker, and stores of their own. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.THAW_URL) return undefined;
  const stack = await startStack({
    replicas: 2,
    workers: 1,
    // The same two people meet again and again here, and one machine plays all of them.
    env: { REMATCH_COOLDOWN_S: '0', LIMITS_PROFILE: 'load' },
  });
  process.env.THAW_URL = stack.url;
  return () => stack.stop();
}
