import 'reflect-metadata';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

// Baseline of P18, the start of a process: a Nest application without providers, which imports the packages that an api
// process imports. PACKAGES: their names, as a JSON array. PACKAGES_FROM: folder of the build that resolves them.
// PACKAGES_FROM is the folder of the build whose packages are imported.
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
