import assert from 'node:assert/strict';
import test from 'node:test';
import { collectCitedDecisions } from './testing/cited-decisions.mjs';
import { listAnchors, listLocalLinks } from './testing/page-links.mjs';
import { isInRepository, listNamedFiles, listNamedIdentifiers } from './testing/page-names.mjs';
import { listRepositoryFiles, readFile, readPages } from './testing/repository-files.mjs';

// Checks the Markdown pages against the repository: links, file names, identifiers, settings and metrics.

const files = listRepositoryFiles();
const pages = readPages(files);
/** The Docker network in an example of the operations page. Its name looks like that of a metric. */
const EXAMPLE_NETWORK = 'thaw_web';
/** Metrics that prom-client adds under the prefix of the product. */
const ADDED_BY_PROM_CLIENT = /^thaw_(nodejs|process)_/;

test('every link between pages points to an existing file, and to an existing heading if it has an anchor', () => {
  const broken = pages.flatMap((page) =>
    listLocalLinks(page)
      .filter(({ target, anchor }) => {
        const exists = files.some((file) => file === target || file.startsWith(`${target}/`));
        return !exists || (anchor !== undefined && !listAnchors(readFile(target)).includes(anchor));
      })
      .map(({ target, anchor }) => `${page.file}: ${target}${anchor === undefined ? '' : `#${anchor}`}`),
  );
  assert.deepEqual(broken, []);
});

test('every file or folder that a page names exists', () => {
  const missing = pages.flatMap(({ file, text }) =>
    listNamedFiles(text)
      .filter((named) => !isInRepository(named, files))
      .map((named) => `${file}: ${named}`),
  );
  assert.deepEqual(missing, []);
});

test('a path in backticks may lack its first folders', () => {
  const named = listNamedFiles('`deploy/b.ts` `c.mjs` `modules/<feature>/domain`');
  assert.deepEqual(named, ['deploy/b.ts', 'c.mjs', 'modules/*/domain']);
  assert.equal(isInRepository('modules/*/domain', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isInRepository('user.state.ts', ['backend/src/modules/users/domain/user.state.ts']), true);
  assert.equal(isInRepository('state.ts', ['backend/src/modules/users/domain/user.state.ts']), false);
});

test('commands, routes, packages, networks, and files of a run or a build do not count as named files', () => {
  const text =
    '`npm test` `GET /api/user` `/health/live` `radix-ui/x` `@nestjs/core` `10.0.0.0/8` `.thaw/logs` `main.js`';
  assert.deepEqual(listNamedFiles(text), []);
});

test('every identifier that a page names is in the code', () => {
  // Names that the code does not contain: the network, a setting of Prometheus, and two names of PostgreSQL.
  const foreignNames = [EXAMPLE_NETWORK, 'dns_sd_configs', 'sent_lsn', 'max_standby_streaming_delay'];
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
  // Ids such as A90 and B01.
  const listed = new Set(
    [...readFile('docs/product-decisions.md').matchAll(/^\| ([AB]\d+)/gm)].map(([, decision]) => decision),
  );
  const unlisted = [...collectCitedDecisions(files)].filter(([decision]) => !listed.has(decision));
  assert.deepEqual(unlisted, []);
});

test('the operations page names every setting of a process and every metric, and no metric that does not exist', () => {
  const operations = readFile('docs/operations.md');
  const schema = readFile('backend/src/config/environment.config.ts');
  // If the layout of the code changes, the patterns in this test may find no names. The test must fail then.
  const settings = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+): z\./gm)].map(([, name]) => name);
  assert.ok(settings.length > 20);
  assert.deepEqual(
    settings.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  );
  const source = files
    .filter((file) => /^backend\/src\/(?!testing\/).*(?<!spec)\.ts$/.test(file))
    .map(readFile)
    .join('\n');
  // A metric is a quoted name, or the key of an object.
  const metrics = [...source.matchAll(/'(thaw_[a-z_]*[a-z])'|^ +(thaw_[a-z_]+): \{/gm)].map(
    ([, name, key]) => name ?? key,
  );
  assert.ok(metrics.length > 10);
  assert.deepEqual(
    metrics.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  );
  const namedMetrics = [...operations.matchAll(/`(thaw_\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(
    namedMetrics.filter(
      (name) => !metrics.includes(name) && name !== EXAMPLE_NETWORK && !ADDED_BY_PROM_CLIENT.test(name),
    ),
    [],
  );
});

test('every page in docs/decisions has a unique number and is on the list in its README', () => {
  const fileNames = files
    .filter((file) => /^docs\/decisions\/\d{4}-/.test(file))
    .map((file) => file.slice('docs/decisions/'.length));
  const numbers = fileNames.map((name) => name.slice(0, 4));
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    [],
  );
  const list = readFile('docs/decisions/README.md');
  assert.deepEqual(
    fileNames.filter((name) => !list.includes(`(${name})`)),
    [],
  );
});

test('every page or folder of docs/ that the code cites exists', () => {
  const citations = files
    .filter((file) => /\.(ts|tsx|mjs|sh|yml)$/.test(file))
    .flatMap((file) =>
      [...readFile(file).matchAll(/(?<![\w/])docs\/[\w/-]+(\.md)?/g)].map(([page]) => ({ file, page })),
    );
  // The pattern must have found citations, or the test would check nothing.
  assert.ok(citations.length > 5);
  // A citation such as docs/decisions/0061 is only the beginning of the path.
  const missing = citations.filter(({ page }) => !files.some((file) => file.startsWith(page)));
  assert.deepEqual(missing, []);
});
