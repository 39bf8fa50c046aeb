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

const recordResult = <Method extends (...args: never[]) => Promise<unknown>>(method: Method): Method =>
  (async (...args: Parameters<Method>) => {
    const application = await method.apply(NestFactory, args);
    applications.push(application as { container: Container });
    return application;
  }) as Method;

// `never`, because `create` has two overloads, of which the type of a bound function has only the last.
NestFactory.create = recordResult(NestFactory.create.bind(NestFactory) as never);
NestFactory.createApplicationContext = recordResult(NestFactory.createApplicationContext.bind(NestFactory));

/** The timers that keep the process running, and the line of code that created each. */
const timers: { timer: WeakRef<NodeJS.Timeout>; callSite: string }[] = [];
/** Timers that have ended, or were unreferenced with `unref`, are removed when the list is longer than this. */
const TIMERS_BEFORE_SWEEP = 5_000;

/** An internal field of Node's timers. */
interface TimerState {
  _destroyed: boolean;
}

const isActive = (timer: NodeJS.Timeout | undefined): boolean =>
  timer !== undefined && !(timer as unknown as TimerState)._destroyed && timer.hasRef();

const sweepTimers = (): void => {
  const active = timers.filter(({ timer }) => isActive(timer.deref()));
  timers.splice(0, timers.length, ...active);
};

const readCallSite = (): string => {
  // The first three lines are the message, this function, and the function that records the timer.
  const [, , , caller = ''] = (new Error().stack ?? '').split('\n');
  // `at Chat.open (/app/backend/dist/src/chat.js:1:2)` becomes `Chat.open (src/chat.js:1:2)`.
  return caller
    .trim()
    .replace(/^at /, '')
    .replace(/\(?\/.*\/(backend\/dist|node_modules)\//, '(');
};

const recordTimers = (name: 'setTimeout' | 'setInterval'): void => {
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
  recordTimers('setTimeout');
  recordTimers('setInterval');
}

const readSize = (value: unknown): number | undefined => {
  if (value instanceof Map || value instanceof Set) return value.size;
  return Array.isArray(value) ? value.length : undefined;
};

/**
 * Whether the collections of a value are measured. Excludes clients of stores (they have `on` and `connect`), whose
 * internal buffers vary in size. A leak in them shows in the size of the heap.
 */
const isMeasured = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('on' in value && 'connect' in value);

/** Levels of objects in a provider whose collections are measured. */
const MAX_DEPTH = 2;

const measureCollections = (): Record<string, number> => {
  const sizes: Record<string, number> = {};
  const seen = new Set<unknown>();
  for (const { container } of applications) {
    for (const { providers } of container.getModules().values()) {
      for (const { instance } of providers.values()) {
        if (!isMeasured(instance) || seen.has(instance)) continue;
        seen.add(instance);
        addSizes(sizes, instance.constructor?.name ?? 'object', instance, seen, MAX_DEPTH);
      }
    }
  }
  return sizes;
};

/** @param depth levels of objects below `owner` that are still measured */
const addSizes = (
  sizes: Record<string, number>,
  name: string,
  owner: object,
  seen: Set<unknown>,
  depth: number,
): void => {
  for (const property of Object.keys(owner)) {
    const value = (owner as Record<string, unknown>)[property];
    const size = readSize(value);
    const key = `${name}.${property}`;
    if (size !== undefined) sizes[key] = (sizes[key] ?? 0) + size;
    else if (depth > 0 && isMeasured(value) && !seen.has(value)) {
      seen.add(value);
      addSizes(sizes, key, value, seen, depth - 1);
    }
  }
};

const GARBAGE_COLLECTIONS = 4;

const writeInspection = async (): Promise<void> => {
  // Several collections, because each turn of the event loop in between may release further objects.
  for (let count = 0; count < GARBAGE_COLLECTIONS; count += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await nextTurn();
  }
  const resources: Record<string, number> = {};
  const increment = (name: string): void => void (resources[name] = (resources[name] ?? 0) + 1);
  process.getActiveResourcesInfo().forEach(increment);
  sweepTimers();
  for (const { callSite } of timers) increment(`Timeout of ${callSite}`);
  const inspection: Inspection = {
    heapBytes: process.memoryUsage().heapUsed,
    resources,
    collections: measureCollections(),
  };
  const file = path.join(process.env.CHAOS_INSPECTIONS ?? '', `${process.pid}.json`);
  // The file appears only when it is complete, because another process waits for it.
  writeFileSync(`${file}.new`, JSON.stringify(inspection));
  renameSync(`${file}.new`, file);
};

process.on('SIGUSR2', () => void writeInspection());
