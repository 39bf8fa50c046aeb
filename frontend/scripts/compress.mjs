// Adds gzip and Brotli copies of every text file of dist/ at the best compression, so that servers need not compress.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const dist = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'dist');
const textFilePattern = /\.(html|js|css|svg|txt|webmanifest)$/;
const minBytes = 1_024;

for (const name of readdirSync(dist, { recursive: true }).filter((file) => textFilePattern.test(file))) {
  const content = readFileSync(join(dist, name));
  if (content.length < minBytes) continue;
  writeFileSync(join(dist, `${name}.gz`), gzipSync(content, { level: 9 }));
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(content));
}
