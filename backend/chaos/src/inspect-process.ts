/**
 * Preloaded into a replica or worker with --require and --expose-gc. On SIGUSR2 the process collects garbage and writes
 * an inspection to `$CHAOS_INSPECTIONS/<pid>.json`: the sizes of its heap and of the collections in Nest's providers,
 * and the numbers of its handles and timers.
 */
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';

export interface Inspection {
  heapBytes: number;
  /** Active resources of the event loop by type: timers, sockets, requests. */
  resources: Record<string, number>;
  /** Sizes of Maps, Sets and arrays, by class and property of the provider that holds them. */
  collections: Record<string, number>;
}

interface Container {
  getModules(): Map<string, { providers: Map<unknown, { instance?: unknown }> }>;
}

/** The applications that this process has created. `container` is not public in Nest. */
const applications: { container: Container }[] = [];

/** Wraps a method of NestFactory, so that the applications that it creates are recorded. */
const recordApplications = <Method extends (...args: never[]) => Promise<unknown>>(method: Method): Method =>
  (async (...args: Parameters<Method>) => {
    const application = await method.apply(NestFactory, args);
    applications.push(application as { container: Container });
    return application;
  }) as Method;

// The cast to `never` is needed because `create` has two overloads, and the type of a bound function only the last.
NestFactory.create = recordApplications(NestFactory.create.bind(NestFactory) as never);
NestFactory.createApplicationContext = recordApplications(
  NestFactory.createApplicationContext.bind(NestFactory),
);

/** Created timers, and the line of code that created each. `sweepTimers` removes those that are no longer active. */
const timers: { timer: WeakRef<NodeJS.Timeout>; callSite: string }[] = [];
/** A longer list of timers is swept. */
const TIMERS_BEFORE_SWEEP = 5_000;

/** An internal field of Node's timers. */
interface TimerState {
  _destroyed: boolean;
}

/** Whether the timer keeps the process running: it has not ended, and was not unreferenced with `unref`. */
const isActive = (timer: NodeJS.Timeout | undefined): boolean =>
  timer !== undefined && !(timer as unknown as TimerState)._destroyed && timer.hasRef();

const sweepTimers = (): void => {
  const active = timers.filter(({ timer }) => isActive(timer.deref()));
  timers.splice(0, timers.length, ...active);
};

const readCallSite = (): string => {
  // Skips the message, this function, and the function that records the timer.
  const [, , , caller = ''] = (new Error().stack ?? '').split('\n');
  // `at Chat.open (/app/backend/dist/src/chat.js:1:2)` becomes `Chat.open (src/chat.js:1:2)`.
  return caller
    .trim()
    .replace(/^at /, '')
    .replace(/\(?\/.*\/(backend\/dist|node_modules)\//, '(');
};

/** Replaces a global function with one that also records the timers that it creates. */
const recordTimersOf = (name: 'setTimeout' | 'setInterval'): void => {
  const original = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
  const createRecordingTimer = (...args: unknown[]): NodeJS.Timeout => {
    const timer = original(...args);
    timers.push({ timer: new WeakRef(timer), callSite: readCallSite() });
    if (timers.length > TIMERS_BEFORE_SWEEP) sweepTimers();
    return timer;
  };
  // Copies the symbols of the original function, under which util.promisify finds the promise variant.
  globalThis[name] = Object.defineProperties(
    createRecordingTimer,
    Object.getOwnPropertyDescriptors(original),
  ) as unknown as typeof setTimeout & typeof setInterval;
};
// Capturing a stack for each timer is expensive, so this is switched on only to find the origin of a leaked timer.
if (process.env.CHAOS_TIMERS === '1') {
  recordTimersOf('setTimeout');
  recordTimersOf('setInterval');
}

const readSize = (value: unknown): number | undefined => {
  if (value instanceof Map || value instanceof Set) return value.size;
  return Array.isArray(value) ? value.length : undefined;
};

/**
 * Whether the value is an object whose collections are measured. Clients of stores (objects with `on` and `connect`)
 * are not, because their internal buffers vary in size. A leak in them shows in the size of the heap.
 */
const isMeasured = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('on' in value && 'connect' in value);

/** Collections are measured in each provider, and in the objects up to this number of levels below it. */
const MAX_DEPTH = 2;

/** The providers of all applications. */
const listProviders = (): unknown[] => {
  const modules = applications.flatMap(({ container }) => [...container.getModules().values()]);
  return modules.flatMap(({ providers }) => [...providers.values()].map(({ instance }) => instance));
};

const measureCollections = (): Record<string, number> => {
  const sizes: Record<string, number> = {};
  const seen = new Set<object>();
  /** Adds the sizes in `owner`, and in the objects up to `depth` levels below it. */
  const addSizes = (owner: object, name: string, depth: number): void => {
    if (seen.has(owner)) return;
    seen.add(owner);
    for (const [property, value] of Object.entries(owner) as [string, unknown][]) {
      const size = readSize(value);
      const key = `${name}.${property}`;
      if (size !== undefined) sizes[key] = (sizes[key] ?? 0) + size;
      else if (depth > 0 && isMeasured(value)) addSizes(value, key, depth - 1);
    }
  };
  for (const provider of listProviders()) {
    if (isMeasured(provider)) addSizes(provider, provider.constructor?.name ?? 'object', MAX_DEPTH);
  }
  return sizes;
};

const countResources = (): Record<string, number> => {
  sweepTimers();
  const timerNames = timers.map(({ callSite }) => `Timeout of ${callSite}`);
  const counts: Record<string, number> = {};
  for (const name of [...process.getActiveResourcesInfo(), ...timerNames])
    counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Several runs are needed, because each turn of the event loop in between may release further objects. */
const GARBAGE_COLLECTOR_RUNS = 4;

const collectGarbage = async (): Promise<void> => {
  for (let run = 0; run < GARBAGE_COLLECTOR_RUNS; run += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await nextTurn();
  }
};

const writeInspection = async (): Promise<void> => {
  await collectGarbage();
  const inspection: Inspection = {
    heapBytes: process.memoryUsage().heapUsed,
    resources: countResources(),
    collections: measureCollections(),
  };
  const file = path.join(process.env.CHAOS_INSPECTIONS ?? '', `${process.pid}.json`);
  // The file appears only when it is complete, because another process waits for it.
  writeFileSync(`${file}.new`, JSON.stringify(inspection));
  renameSync(`${file}.new`, file);
};

process.on('SIGUSR2', () => void writeInspection());
