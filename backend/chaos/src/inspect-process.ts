/**
 * Preloaded into a replica or worker with --require and --expose-gc. On SIGUSR2 the process collects garbage and writes
 * what it holds to `$CHAOS_INSPECTIONS/<pid>.json`: heap, handles and timers, and the sizes of the collections in
 * Nest's providers.
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

const applications: { container: Container }[] = [];

const recordResult = <Method extends (...args: never[]) => Promise<unknown>>(method: Method): Method =>
  (async (...args: Parameters<Method>) => {
    const application = await method.apply(NestFactory, args);
    applications.push(application as { container: Container });
    return application;
  }) as Method;

NestFactory.create = recordResult(NestFactory.create.bind(NestFactory) as never);
NestFactory.createApplicationContext = recordResult(NestFactory.createApplicationContext.bind(NestFactory));

/** The timers of the process and the place that set each, to identify a timer that is left. */
const timers: { timer: WeakRef<NodeJS.Timeout>; site: string }[] = [];
const TIMERS_BEFORE_SWEEP = 5_000;

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
  const [, , , caller = ''] = (new Error().stack ?? '').split('\n');
  return caller
    .trim()
    .replace(/^at /, '')
    .replace(/\(?\/.*\/(backend\/dist|node_modules)\//, '(');
};

const recordTimers = (name: 'setTimeout' | 'setInterval'): void => {
  const original = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
  const createRecordingTimer = (...args: unknown[]): NodeJS.Timeout => {
    const timer = original(...args);
    timers.push({ timer: new WeakRef(timer), site: readCallSite() });
    if (timers.length > TIMERS_BEFORE_SWEEP) sweepTimers();
    return timer;
  };
  // util.promisify finds the promise variant under symbols of the original.
  globalThis[name] = Object.defineProperties(
    createRecordingTimer,
    Object.getOwnPropertyDescriptors(original),
  ) as unknown as typeof setTimeout & typeof setInterval;
};
// Captures a stack for each timer, which is expensive: only to find out where a leaked timer comes from.
if (process.env.CHAOS_TIMERS === '1') {
  recordTimers('setTimeout');
  recordTimers('setInterval');
}

const readSize = (value: unknown): number | undefined => {
  if (value instanceof Map || value instanceof Set) return value.size;
  return Array.isArray(value) ? value.length : undefined;
};

/** Excludes clients of stores, whose buffers are internal: their leaks show in the heap. */
const isOwned = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('on' in value && 'connect' in value);

const measureCollections = (): Record<string, number> => {
  const sizes: Record<string, number> = {};
  const seen = new Set<unknown>();
  for (const { container } of applications) {
    for (const { providers } of container.getModules().values()) {
      for (const { instance } of providers.values()) {
        if (!isOwned(instance) || seen.has(instance)) continue;
        seen.add(instance);
        addSizes(sizes, instance.constructor?.name ?? 'object', instance, seen, 2);
      }
    }
  }
  return sizes;
};

/** @param depth levels of nested objects of a provider that are inspected. */
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
    else if (depth > 0 && isOwned(value) && !seen.has(value)) {
      seen.add(value);
      addSizes(sizes, key, value, seen, depth - 1);
    }
  }
};

const writeInspection = async (): Promise<void> => {
  // What is released in one turn of the event loop is collected in the next.
  for (let round = 0; round < 4; round += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await nextTurn();
  }
  const resources: Record<string, number> = {};
  const count = (name: string): void => void (resources[name] = (resources[name] ?? 0) + 1);
  process.getActiveResourcesInfo().forEach(count);
  sweepTimers();
  for (const { site } of timers) count(`Timeout of ${site}`);
  const inspection: Inspection = {
    heapBytes: process.memoryUsage().heapUsed,
    resources,
    collections: measureCollections(),
  };
  const file = path.join(process.env.CHAOS_INSPECTIONS ?? '', `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(inspection));
  renameSync(`${file}.new`, file);
};

process.on('SIGUSR2', () => void writeInspection());
