import assert from 'node:assert/strict';
import test from 'node:test';
import {
  anchorsOf,
  citedDecisions,
  isFile,
  localLinks,
  namedFiles,
  namedIdentifiers,
  pages,
  read,
  repositoryFiles,
} from './testing/documentation.mjs';

const files = repositoryFiles();
const documents = pages(files);
/** Metrics that prom-client adds under our prefix. */
const BY_PROM_CLIENT = /^thaw_(nodejs|process)_/;

test('every link between pages points to an existing file, and to an existing heading if it has an anchor', () => {
  const broken = documents.flatMap((page) =>
    localLinks(page)
      .filter(({ to, anchor }) => {
        const exists = files.some((file) => file === to || file.startsWith(`${to}/`));
        return !exists || (anchor !== undefined && !anchorsOf(read(to)).includes(anchor));
      })
      .map(({ to, anchor }) => `${page.file}: ${to}${anchor === undefined ? '' : `#${anchor}`}`),
  );
  assert.deepEqual(broken, []);
});

test('every file that a page names exists', () => {
  const missing = documents.flatMap(({ file, text }) =>
    namedFiles(text)
      .filter((named) => !isFile(named, files))
      .map((named) => `${file}: ${named}`),
  );
  assert.deepEqual(missing, []);
});

test('a name in backticks counts as a file when it looks like one', () => {
  const text =
    '`deploy/b.ts` `c.mjs` `modules/<feature>/domain` `npm test` `GET /api/user` `/health/live` `radix-ui/x`';
  assert.deepEqual(namedFiles(text), ['deploy/b.ts', 'c.mjs', 'modules/*/domain']);
  assert.equal(isFile('modules/*/domain', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isFile('user.state.ts', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isFile('state.ts', ['backend/src/modules/users/domain/user.state.ts']), false);
});

test('every identifier that a page names is in the code', () => {
  const ofOthers = ['thaw_web', 'dns_sd_configs'];
  const code = files
    .filter(
      (file) => /\.(tsx?|m?js|sql|yml|sh|conf|template|json)$/.test(file) && file !== 'package-lock.json',
    )
    .map(read)
    .join('\n');
  const unknown = documents.flatMap(({ file, text }) =>
    namedIdentifiers(text)
      .filter((name) => !code.includes(name) && !ofOthers.includes(name) && !BY_PROM_CLIENT.test(name))
      .map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(unknown, []);
});

test('every product decision that is cited is on the list', () => {
  const listed = new Set(
    [...read('docs/product-decisions.md').matchAll(/^\| ([AB]\d+)/gm)].map(([, number]) => number),
  );
  const unknown = [...citedDecisions(files)].filter(([number]) => !listed.has(number));
  assert.deepEqual(unknown, []);
});

test('the operations page names every setting of a process and every metric, and no metric that does not exist', () => {
  const operations = read('docs/operations.md');
  const schema = files.find((file) => /^backend\/src\/config\/environment(\.config)?\.ts$/.test(file));
  const settings = [...read(schema).matchAll(/^ {2}([A-Z][A-Z0-9_]+): z\./gm)].map(([, name]) => name);
  assert.ok(settings.length > 20);
  assert.deepEqual(
    settings.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  );
  const source = files
    .filter((file) => /^backend\/src\/(?!testing\/).*(?<!spec)\.ts$/.test(file))
    .map(read)
    .join('\n');
  const registered = [...source.matchAll(/'(thaw_[a-z_]*[a-z])'|^ +(thaw_[a-z_]+): \{/gm)].map(
    ([, name, key]) => name ?? key,
  );
  assert.ok(registered.length > 10);
  assert.deepEqual(
    registered.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  );
  const named = [...operations.matchAll(/`(thaw_\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => !registered.includes(name) && name !== 'thaw_web' && !BY_PROM_CLIENT.test(name)),
    [],
  );
});

test('every decision has a number of its own and is on the list', () => {
  const decisions = files.filter((file) => /^docs\/decisions\/\d{4}-/.test(file));
  const numbers = decisions.map((file) => file.slice('docs/decisions/'.length).slice(0, 4));
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    [],
  );
  const list = read('docs/decisions/README.md');
  assert.deepEqual(
    decisions.filter((file) => !list.includes(`(${file.slice('docs/decisions/'.length)})`)),
    [],
  );
});

test('every page that the code cites exists', () => {
  const cited = files
    .filter((file) => /\.(ts|tsx|mjs|sh|yml)$/.test(file) && !file.includes('documentation'))
    .flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/])docs\/[\w/-]+(\.md)?/g)].map(([page]) => ({ file, page })),
    );
  assert.ok(cited.length > 5);
  const missing = cited.filter(({ page }) => !files.some((file) => file.startsWith(page)));
  assert.deepEqual(missing, []);
});
