// Writes every text of dist/ a second and a third time, compressed as well as can be, for servers that then need not.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const dist = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'dist');
const isText = /\.(html|js|css|svg|txt|webmanifest)$/;
const fewestBytes = 1_024;

for (const name of readdirSync(dist, { recursive: true }).filter((file) => isText.test(file))) {
  const content = readFileSync(join(dist, name));
  if (content.length < fewestBytes) continue;
  writeFileSync(join(dist, `${name}.gz`), gzipSync(content, { level: 9 }));
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(content));
}
