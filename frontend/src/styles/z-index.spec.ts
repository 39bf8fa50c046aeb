import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const source = resolve(__dirname, '..');

it('components and styles use the named z-index scale of theme.css, never a number', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.spec)\.(tsx|css)$/.test(file),
  );
  const filesWithNumbers = files.filter((file) =>
    /\bz-(\d|\[)|z-index:\s*-?\d/.test(readFileSync(join(source, file), 'utf8')),
  );
  // Fails if the files are not found.
  expect(files.length).toBeGreaterThan(50);
  expect(filesWithNumbers).toEqual([]);
});
