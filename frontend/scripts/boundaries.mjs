// Checks the import rules of .dependency-cruiser.cjs: src/ must break none of them. To show that the check works,
// boundary-fixture/ breaks every rule, and the check fails unless it finds each of these violations.
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
    moduleCount: output.summary.totalCruised,
    violations: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
};

const source = await findViolations('src');
for (const { rule, from, to } of source.violations) console.error(`${rule}: ${from} → ${to}`);
console.log(`${source.moduleCount} modules, ${source.violations.length} violations`);

const fixture = await findViolations('boundary-fixture');
const undetectedRules = config.forbidden.filter(
  ({ name }) => !fixture.violations.some(({ rule }) => rule === name),
);
for (const { name } of undetectedRules)
  console.error(`The fixture breaks ${name}, and the check did not find it`);

/** Fewer modules mean that the wrong folder was checked. */
const minModules = 50;
if (source.violations.length > 0 || source.moduleCount < minModules || undetectedRules.length > 0)
  process.exitCode = 1;
