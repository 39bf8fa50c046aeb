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
/** Names that the code does not contain: the network, a setting of Prometheus, and two names of PostgreSQL. */
const FOREIGN_NAMES = [EXAMPLE_NETWORK, 'dns_sd_configs', 'sent_lsn', 'max_standby_streaming_delay'];
const CODE_FILE = /\.(tsx?|m?js|sql|yml|sh|conf|template|json)$/;
/** A page or folder of docs/ that code cites. Paths that only contain `docs/` do not match. */
const CITED_PAGE = /(?<![\w/])docs\/[\w/-]+(\.md)?/g;

test('every link between pages points to an existing file, and to an existing heading if it has an anchor', () => {
  const broken = pages.flatMap((page) =>
    listLocalLinks(page)
      .filter((link) => !hasTarget(link))
      .map(({ target, anchor }) => `${page.file}: ${target}${anchor === undefined ? '' : `#${anchor}`}`),
  );
  assert.deepEqual(broken, []);
});

function hasTarget({ target, anchor }) {
  const exists = files.some((file) => file === target || file.startsWith(`${target}/`));
  if (!exists) return false;
  return anchor === undefined || listAnchors(readFile(target)).includes(anchor);
}

test('every file or folder that a page names exists', () => {
  const missing = pages.flatMap(({ file, text }) =>
    listNamedFiles(text)
      .filter((named) => !isInRepository(named, files))
      .map((named) => `${file}: ${named}`),
  );
  assert.deepEqual(missing, []);
});

test('paths in backticks count as named files, with `*` for a placeholder', () => {
  const named = listNamedFiles('`deploy/b.ts` `c.mjs` `modules/<feature>/domain`');
  assert.deepEqual(named, ['deploy/b.ts', 'c.mjs', 'modules/*/domain']);
});

test('a named path may lack its first folders, but not the beginning of the file name', () => {
  const repositoryFiles = ['backend/src/modules/users/domain/user.state.ts'];
  assert.equal(isInRepository('modules/*/domain', repositoryFiles), true);
  assert.equal(isInRepository('user.state.ts', repositoryFiles), true);
  assert.equal(isInRepository('state.ts', repositoryFiles), false);
});

test('commands, routes, packages, networks, and files of a run or a build do not count as named files', () => {
  const text =
    '`npm test` `GET /api/user` `/health/live` `radix-ui/x` `@nestjs/core` `10.0.0.0/8` `.thaw/logs` `main.js`';
  assert.deepEqual(listNamedFiles(text), []);
});

test('every identifier that a page names is in the code', () => {
  const code = files
    .filter((file) => CODE_FILE.test(file) && file !== 'package-lock.json')
    .map(readFile)
    .join('\n');
  const isKnown = (name) =>
    code.includes(name) || FOREIGN_NAMES.includes(name) || ADDED_BY_PROM_CLIENT.test(name);
  const unknown = pages.flatMap(({ file, text }) =>
    listNamedIdentifiers(text)
      .filter((name) => !isKnown(name))
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

test('the operations page names every setting of a process', () => {
  const operations = readFile('docs/operations.md');
  const unnamed = listSettings().filter((name) => !operations.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
});

test('the operations page names every metric', () => {
  const operations = readFile('docs/operations.md');
  const unnamed = listMetrics().filter((name) => !operations.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
});

test('the operations page names no metric that does not exist', () => {
  const metrics = listMetrics();
  const exists = (name) => metrics.includes(name) || ADDED_BY_PROM_CLIENT.test(name);
  const named = [...readFile('docs/operations.md').matchAll(/`(thaw_\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => name !== EXAMPLE_NETWORK && !exists(name)),
    [],
  );
});

// If the layout of the code changes, the patterns of these two functions may find no names. The tests must fail then.

function listSettings() {
  const schema = readFile('backend/src/config/environment.config.ts');
  const settings = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+): z\./gm)].map(([, name]) => name);
  assert.ok(settings.length > 20);
  return settings;
}

/** Lists the metrics in the source: quoted names, and keys whose values are objects. */
function listMetrics() {
  const source = files
    .filter((file) => file.startsWith('backend/src/') && file.endsWith('.ts'))
    .filter((file) => !file.startsWith('backend/src/testing/') && !file.endsWith('spec.ts'))
    .map(readFile)
    .join('\n');
  const metrics = [...source.matchAll(/'(thaw_[a-z_]*[a-z])'|^ +(thaw_[a-z_]+): \{/gm)].map(
    ([, quotedName, key]) => quotedName ?? key,
  );
  assert.ok(metrics.length > 10);
  return metrics;
}

test('every page in docs/decisions has a unique number and is on the list in its README', () => {
  const fileNames = files
    .filter((file) => /^docs\/decisions\/\d{4}-/.test(file))
    .map((file) => file.slice('docs/decisions/'.length));
  const numbers = fileNames.map((name) => name.slice(0, 4));
  const repeatedNumbers = numbers.filter((number, index) => numbers.indexOf(number) !== index);
  assert.deepEqual(repeatedNumbers, []);
  const list = readFile('docs/decisions/README.md');
  assert.deepEqual(
    fileNames.filter((name) => !list.includes(`(${name})`)),
    [],
  );
});

test('every page or folder of docs/ that the code cites exists', () => {
  const citations = files
    .filter((file) => /\.(ts|tsx|mjs|sh|yml)$/.test(file))
    .flatMap((file) => [...readFile(file).matchAll(CITED_PAGE)].map(([page]) => ({ file, page })));
  // The pattern must have found citations, or the test would check nothing.
  assert.ok(citations.length > 5);
  // A citation may be only the beginning of a path, such as docs/decisions/0061.
  const missing = citations.filter(({ page }) => !files.some((file) => file.startsWith(page)));
  assert.deepEqual(missing, []);
});
