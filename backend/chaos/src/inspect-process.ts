/**
 * Loaded into a replica or worker by --require, with --expose-gc. On SIGUSR2 the process collects garbage and writes
 * what it holds to `$CHAOS_INSPECTIONS/<pid>.json`: heap, handles and timers, and the sizes of the collections that
 * Nest's providers keep.
 */
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';

export interface Inspection {
  heapBytes: number;
  /** Active resources of the event loop by type: timers, sockets, requests. */
  resources: Record<string, number>;
  /** Sizes of Maps, Sets and arrays, by class and property of the provider that keeps them. */
  collections: Record<string, number>;
}

interface Container {
  getModules(): Map<string, { providers: Map<unknown, { instance?: unknown }> }>;
}

const applications: { container: Container }[] = [];

const remember = <Method extends (...given: never[]) => Promise<unknown>>(method: Method): Method =>
  (async (...given: Parameters<Method>) => {
    const application = await method.apply(NestFactory, given);
    applications.push(application as { container: Container });
    return application;
  }) as Method;

NestFactory.create = remember(NestFactory.create.bind(NestFactory) as never);
NestFactory.createApplicationContext = remember(NestFactory.createApplicationContext.bind(NestFactory));

const sizeOf = (value: unknown): number | undefined => {
  if (value instanceof Map || value instanceof Set) return value.size;
  return Array.isArray(value) ? value.length : undefined;
};

/** Not a client of a store or a server, whose buffers are its own business: what they leak is in the heap. */
const isOwned = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('on' in value && typeof value.on === 'function');

const collections = (): Record<string, number> => {
  const sizes: Record<string, number> = {};
  const seen = new Set<unknown>();
  for (const { container } of applications) {
    for (const { providers } of container.getModules().values()) {
      for (const { instance } of providers.values()) {
        if (typeof instance !== 'object' || instance === null || seen.has(instance)) continue;
        seen.add(instance);
        addSizes(sizes, instance.constructor?.name ?? 'object', instance, seen, 2);
      }
    }
  }
  return sizes;
};

/** @param depth how many levels of objects that a provider owns are looked into. */
const addSizes = (
  sizes: Record<string, number>,
  name: string,
  owner: object,
  seen: Set<unknown>,
  depth: number,
): void => {
  for (const property of Object.keys(owner)) {
    const value = (owner as Record<string, unknown>)[property];
    const size = sizeOf(value);
    const key = `${name}.${property}`;
    if (size !== undefined) sizes[key] = (sizes[key] ?? 0) + size;
    else if (depth > 0 && isOwned(value) && !seen.has(value)) {
      seen.add(value);
      addSizes(sizes, key, value, seen, depth - 1);
    }
  }
};

const inspect = async (): Promise<void> => {
  // What was let go of in one turn is collected in the next.
  for (let round = 0; round < 4; round += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await turn();
  }
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const inspection: Inspection = {
    heapBytes: process.memoryUsage().heapUsed,
    resources,
    collections: collections(),
  };
  const file = path.join(process.env.CHAOS_INSPECTIONS ?? '', `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(inspection));
  renameSync(`${file}.new`, file);
};

process.on('SIGUSR2', () => void inspect());
