import { availableParallelism, loadavg } from 'node:os';

/** How many times longer something may take because others want the processors too; 1 on a machine at rest. */
export const processorLoad = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
