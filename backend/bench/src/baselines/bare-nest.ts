import 'reflect-metadata';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

// Baseline of figure P18, the CPU time and memory of an api process until it is ready: a Nest application without
// providers, which imports the packages that an api process imports. PACKAGES: their names, as a JSON array.
// PACKAGES_FROM: folder of the build from which the packages are resolved.

// `createRequire` uses only the folder of this file name.
const requireFromBuild = createRequire(path.join(process.env.PACKAGES_FROM ?? __dirname, 'main.api.js'));
for (const name of JSON.parse(process.env.PACKAGES ?? '[]') as string[]) requireFromBuild(name);

@Module({})
class EmptyModule {}

const start = async (): Promise<void> => {
  const app = await NestFactory.create(EmptyModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  process.send?.({ port: (app.getHttpServer() as { address(): AddressInfo }).address().port });
};

void start();
