// The sources of contract and backend keep the import rules, and the fixture, which breaks every one of them, is caught:
// a check that cannot fail is a defect.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import config from '../../.dependency-cruiser.cjs';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));

const look = async (workspace, folder) => {
  const { output } = await cruise(
    [`${workspace}/${folder}`],
    { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
    {},
    { tsConfig: extractTSConfig(resolve(workspace, 'tsconfig.json')) },
  );
  const { totalCruised, violations } = output.summary;
  return {
    modules: totalCruised,
    found: violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
};

const lookAtBoth = async (folder) => {
  const looks = [await look('contract', folder), await look('backend', folder)];
  return {
    modules: looks.map(({ modules }) => modules),
    found: looks.flatMap(({ found }) => found),
  };
};

const source = await lookAtBoth('src');
for (const { rule, from, to } of source.found) console.error(`${rule}: ${from} → ${to}`);
console.log(`${source.modules.join(' + ')} modules, ${source.found.length} violations`);

const fixture = await lookAtBoth('boundary-fixture');
const missed = config.forbidden.filter(({ name }) => !fixture.found.some(({ rule }) => rule === name));
for (const { name } of missed) console.error(`The fixture breaks ${name}, and nobody noticed`);

const tooFew = source.modules[0] < 15 || source.modules[1] < 100;
if (tooFew) console.error('Fewer modules were looked at than there are');
if (source.found.length > 0 || missed.length > 0 || tooFew) process.exitCode = 1;
