import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { ReadModelsModule } from './read-models.module';
import { WorkerModule } from './worker.module';

const importsOf = (module: Type): Type[] =>
  ((Reflect.getMetadata('imports', module) ?? []) as (Type | DynamicModule)[]).map((imported) =>
    'module' in imported ? imported.module : imported,
  );

const importedBy = (module: Type, found = new Set<Type>()): ReadonlySet<Type> => {
  for (const imported of importsOf(module)) {
    if (found.has(imported)) continue;
    found.add(imported);
    importedBy(imported, found);
  }
  return found;
};

it('gives a worker the event types and projections of all read models, since its jobs may append to any stream', () => {
  const known = importedBy(WorkerModule);
  const readModels = importsOf(ReadModelsModule);
  expect(readModels.length).toBeGreaterThan(5);
  expect(readModels.filter((module) => !known.has(module))).toEqual([]);
});
