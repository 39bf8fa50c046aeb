import { LauncherError } from '../launcher-error.mjs';

/**
 * Selects the stages of a run, in the order of `stages`.
 * @param {import('./stages.mjs').Stage[]} stages
 * @param {{only?: string, isLong?: boolean}} options  `only`: a kind, the name of a stage, or a part of a name;
 *   `isLong`: whether to include the stages that run with --long only
 * @returns {import('./stages.mjs').Stage[]}
 * @throws {LauncherError} if no stage is selected
 */
export function selectStages(stages, { only, isLong = false }) {
  const matching = only ? findStages(stages, only) : stages;
  if (matching.length === 0) throw new LauncherError(`There is no stage "${only}". ${listChoices(stages)}`);
  const chosen = matching.filter(({ isLongOnly }) => isLong || !isLongOnly);
  if (chosen.length === 0) throw new LauncherError(`The stage "${matching[0].name}" runs with --long only.`);
  return chosen;
}

/** Finds stages by kind, else by exact name, else by a part of the name. */
function findStages(stages, only) {
  const matchers = [
    ({ kind }) => kind === only,
    ({ name }) => name === only,
    ({ name }) => name.includes(only),
  ];
  return matchers.map((matches) => stages.filter(matches)).find((found) => found.length > 0) ?? [];
}

function listChoices(stages) {
  const kinds = [...new Set(stages.map(({ kind }) => kind))];
  const names = stages.map(({ name }) => `"${name}"`);
  const stagesText = `Stages: ${names.join(', ')}.`;
  return kinds.length > 1 ? `Kinds: ${kinds.join(', ')}. ${stagesText}` : stagesText;
}
