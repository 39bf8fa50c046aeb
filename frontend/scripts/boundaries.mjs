// Checks the import rules on the source. The fixture breaks every rule; the check fails unless each of these violations
// is found.
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
for (const { name } of missed) console.error(`The fixture breaks ${name}, and the check did not find it`);

// Fewer than 50 modules would mean that the wrong folder was checked.
if (source.found.length > 0 || source.modules < 50 || missed.length > 0) process.exitCode = 1;
