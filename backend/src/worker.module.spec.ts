import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { ReadModelsModule } from './read-models.module';
import { WorkerModule } from './worker.module';

const listImports = (module: Type): Type[] =>
  ((Reflect.getMetadata('imports', module) ?? []) as (Type | DynamicModule)[]).map((imported) =>
    'module' in imported ? imported.module : imported,
  );

const collectImports = (module: Type, found = new Set<Type>()): ReadonlySet<Type> => {
  for (const imported of listImports(module)) {
    if (found.has(imported)) continue;
    found.add(imported);
    collectImports(imported, found);
  }
  return found;
};

it('WorkerModule imports every module of ReadModelsModule, because jobs of a worker may append to any stream', () => {
  const workerImports = collectImports(WorkerModule);
  const readModels = listImports(ReadModelsModule);
  // Ensures that the modules were found; otherwise the comparison below would prove nothing.
  expect(readModels.length).toBeGreaterThan(5);
  expect(readModels.filter((module) => !workerImports.has(module))).toEqual([]);
});
