// Adds gzip and Brotli copies of the text files in dist/, compressed at the highest level, so that servers do not
// compress them for each request.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const dist = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'dist');
const textFilePattern = /\.(html|js|css|svg|txt|webmanifest)$/;
/** A smaller file fits into one network packet even uncompressed. */
const minBytes = 1_024;

for (const name of readdirSync(dist, { recursive: true }).filter((file) => textFilePattern.test(file))) {
  const content = readFileSync(join(dist, name));
  if (content.length < minBytes) continue;
  writeFileSync(join(dist, `${name}.gz`), gzipSync(content, { level: 9 }));
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(content)); // the default level is the highest
}
