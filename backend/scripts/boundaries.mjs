// Checks the import rules on the sources of contract and backend. The code in `boundary-fixture` breaks every rule, and
// this check fails unless it finds each of these violations.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import config from '../../.dependency-cruiser.cjs';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));

const cruiseFolder = async (workspace, folder) => {
  const { output } = await cruise(
    [`${workspace}/${folder}`],
    { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
    {},
    { tsConfig: extractTSConfig(resolve(workspace, 'tsconfig.json')) },
  );
  const { totalCruised, violations } = output.summary;
  return {
    moduleCount: totalCruised,
    violations: violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
};

const cruiseBothWorkspaces = async (folder) => {
  const results = [await cruiseFolder('contract', folder), await cruiseFolder('backend', folder)];
  return {
    moduleCounts: results.map(({ moduleCount }) => moduleCount),
    violations: results.flatMap(({ violations }) => violations),
  };
};

const source = await cruiseBothWorkspaces('src');
for (const { rule, from, to } of source.violations) console.error(`${rule}: ${from} → ${to}`);
console.log(`${source.moduleCounts.join(' + ')} modules, ${source.violations.length} violations`);

const fixture = await cruiseBothWorkspaces('boundary-fixture');
const missedRules = config.forbidden.filter(
  ({ name }) => !fixture.violations.some(({ rule }) => rule === name),
);
for (const { name } of missedRules)
  console.error(`The fixture breaks ${name}, and the check did not find it`);

// Detects a wrong folder, in which no violation would be found. Both limits are below the real numbers of modules.
const [contractModules, backendModules] = source.moduleCounts;
const hasTooFew = contractModules < 15 || backendModules < 100;
if (hasTooFew) console.error('Too few modules were checked');
if (source.violations.length > 0 || missedRules.length > 0 || hasTooFew) process.exitCode = 1;
