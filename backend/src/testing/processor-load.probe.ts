import { availableParallelism, loadavg } from 'node:os';

/** The factor by which CPU contention may slow work down, from the load of the last minute; 1 on an idle machine. */
export const estimateCpuSlowdown = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
