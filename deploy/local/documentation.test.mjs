import assert from 'node:assert/strict';
import test from 'node:test';
import {
  listAnchors,
  collectCitedDecisions,
  isInRepository,
  listLocalLinks,
  listNamedFiles,
  listNamedIdentifiers,
  readPages,
  readFile,
  listRepositoryFiles,
} from './testing/documentation.mjs';

// Checks the Markdown pages against the repository: links, file names, identifiers, settings and metrics.

const files = listRepositoryFiles();
const pages = readPages(files);
/** Metrics that prom-client adds under the prefix of the product. */
const ADDED_BY_PROM_CLIENT = /^thaw_(nodejs|process)_/;

test('every link between pages points to an existing file, and to an existing heading if it has an anchor', () => {
  const broken = pages.flatMap((page) =>
    listLocalLinks(page)
      .filter(({ to, anchor }) => {
        const exists = files.some((file) => file === to || file.startsWith(`${to}/`));
        return !exists || (anchor !== undefined && !listAnchors(readFile(to)).includes(anchor));
      })
      .map(({ to, anchor }) => `${page.file}: ${to}${anchor === undefined ? '' : `#${anchor}`}`),
  );
  assert.deepEqual(broken, []);
});

test('every file that a page names exists', () => {
  const missing = pages.flatMap(({ file, text }) =>
    listNamedFiles(text)
      .filter((named) => !isInRepository(named, files))
      .map((named) => `${file}: ${named}`),
  );
  assert.deepEqual(missing, []);
});

test('a name in backticks counts as a file when it looks like one', () => {
  const text =
    '`deploy/b.ts` `c.mjs` `modules/<feature>/domain` `npm test` `GET /api/user` `/health/live` `radix-ui/x`';
  assert.deepEqual(listNamedFiles(text), ['deploy/b.ts', 'c.mjs', 'modules/*/domain']);
  assert.equal(isInRepository('modules/*/domain', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isInRepository('user.state.ts', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isInRepository('state.ts', ['backend/src/modules/users/domain/user.state.ts']), false);
});

test('every identifier that a page names is in the code', () => {
  // A network in an example, a setting of Prometheus, and two names of PostgreSQL.
  const foreignNames = ['thaw_web', 'dns_sd_configs', 'sent_lsn', 'max_standby_streaming_delay'];
  const code = files
    .filter(
      (file) => /\.(tsx?|m?js|sql|yml|sh|conf|template|json)$/.test(file) && file !== 'package-lock.json',
    )
    .map(readFile)
    .join('\n');
  const unknown = pages.flatMap(({ file, text }) =>
    listNamedIdentifiers(text)
      .filter(
        (name) => !code.includes(name) && !foreignNames.includes(name) && !ADDED_BY_PROM_CLIENT.test(name),
      )
      .map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(unknown, []);
});

test('every cited product decision is on the list in docs/product-decisions.md', () => {
  const listed = new Set(
    [...readFile('docs/product-decisions.md').matchAll(/^\| ([AB]\d+)/gm)].map(([, number]) => number),
  );
  const unknown = [...collectCitedDecisions(files)].filter(([number]) => !listed.has(number));
  assert.deepEqual(unknown, []);
});

test('the operations page names every setting of a process and every metric, and no metric that does not exist', () => {
  const operations = readFile('docs/operations.md');
  const schema = files.find((file) => /^backend\/src\/config\/environment(\.config)?\.ts$/.test(file));
  const settings = [...readFile(schema).matchAll(/^ {2}([A-Z][A-Z0-9_]+): z\./gm)].map(([, name]) => name);
  assert.ok(settings.length > 20);
  assert.deepEqual(
    settings.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  );
  const source = files
    .filter((file) => /^backend\/src\/(?!testing\/).*(?<!spec)\.ts$/.test(file))
    .map(readFile)
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
    named.filter(
      (name) => !registered.includes(name) && name !== 'thaw_web' && !ADDED_BY_PROM_CLIENT.test(name),
    ),
    [],
  );
});

test('every page in docs/decisions has a unique number and is on the list in its README', () => {
  const decisions = files.filter((file) => /^docs\/decisions\/\d{4}-/.test(file));
  const numbers = decisions.map((file) => file.slice('docs/decisions/'.length).slice(0, 4));
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    [],
  );
  const list = readFile('docs/decisions/README.md');
  assert.deepEqual(
    decisions.filter((file) => !list.includes(`(${file.slice('docs/decisions/'.length)})`)),
    [],
  );
});

test('every page that the code cites exists', () => {
  const cited = files
    .filter((file) => /\.(ts|tsx|mjs|sh|yml)$/.test(file) && !file.includes('documentation'))
    .flatMap((file) =>
      [...readFile(file).matchAll(/(?<![\w/])docs\/[\w/-]+(\.md)?/g)].map(([page]) => ({ file, page })),
    );
  assert.ok(cited.length > 5);
  const missing = cited.filter(({ page }) => !files.some((file) => file.startsWith(page)));
  assert.deepEqual(missing, []);
});
