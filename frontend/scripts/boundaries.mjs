// Checks that the source obeys the import rules, and that all violations of the fixture are
// reported, which proves that the check can fail.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import config from '../.dependency-cruiser.cjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const tsConfig = extractTSConfig(resolve(root, 'tsconfig.json'));

const findViolations = async (folder) => {
  const { output } = await cruise(
    [folder],
    { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
    {},
    { tsConfig },
  );
  return {
    modules: output.summary.totalCruised,
    found: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
};

const source = await findViolations('src');
for (const { rule, from, to } of source.found) console.error(`${rule}: ${from} → ${to}`);
console.log(`${source.modules} modules, ${source.found.length} violations`);

const fixture = await findViolations('boundary-fixture');
const missed = config.forbidden.filter(({ name }) => !fixture.found.some(({ rule }) => rule === name));
for (const { name } of missed) console.error(`The fixture breaks ${name}, which was not noticed`);

if (source.found.length > 0 || source.modules < 50 || missed.length > 0) process.exitCode = 1;
