import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder } from '../paths.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

const BUILD_LIMIT_MS = 15 * 60_000;
const cacheFolder = (name) => path.join(os.homedir(), '.cache', 'thaw', name);

// Programs that only optional stages of `npm test` need. They are built or installed into a cache outside the
// repository.

/** Programs written in Go, in the releases with which the tests were tested. */
const goPrograms = {
  helm: { version: 'v3.22.0', module: 'helm.sh/helm/v3/cmd/helm' },
  versitygw: { version: 'v1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' },
};
/** A PyPI package that validates manifests against the schemas of Kubernetes. */
const VALIDATOR = { name: 'kubernetes-validate', version: '1.37.0' };
const validatorFolder = cacheFolder(`${VALIDATOR.name}-${VALIDATOR.version}`);

const goCache = (name) => cacheFolder(`${name}-${goPrograms[name].version}`);
/** The path of an installed or cached program. */
const findGoProgram = (name) => findProgram([name], [goCache(name)]);
const findValidator = () => findProgram([VALIDATOR.name], [path.join(validatorFolder, 'bin')]);

export const findVersityGw = () => findGoProgram('versitygw');

/** Environment variables with the paths for the test of the chart; undefined unless both programs exist. */
export const findHelm = () => {
  const [helm, validator] = [findGoProgram('helm'), findValidator()];
  return helm && validator ? { HELM_PATH: helm, KUBERNETES_VALIDATE_PATH: validator } : undefined;
};

/** Installs Helm and the validator into the cache if they are missing. A failure is only logged. */
export async function provideHelm(logStep) {
  await provideGoProgram('helm', logStep);
  const python = findProgram(['python3']);
  if (!python || findValidator()) return;
  const step = `installing ${VALIDATOR.version}`;
  await attempt(logStep, VALIDATOR.name, step, python, [['-m', 'venv', validatorFolder], process.env]);
  await attempt(logStep, VALIDATOR.name, step, path.join(validatorFolder, 'bin', 'pip'), [
    ['install', '--quiet', `${VALIDATOR.name}==${VALIDATOR.version}`],
    process.env,
  ]);
}

export const provideVersityGw = (logStep) => provideGoProgram('versitygw', logStep);

async function provideGoProgram(name, logStep) {
  const go = findProgram(['go'], ['/usr/local/go/bin']);
  if (!go || findGoProgram(name)) return;
  const { module, version } = goPrograms[name];
  await attempt(logStep, name, `building ${version}, which takes a few minutes`, go, [
    ['install', `${module}@${version}`],
    { ...process.env, GOBIN: ensureFolder(goCache(name)) },
  ]);
}

async function attempt(logStep, name, step, command, [args, env]) {
  logStep(name, step);
  try {
    await runOrThrow(`${name} cannot be installed`, command, args, { env, limitMs: BUILD_LIMIT_MS });
  } catch (error) {
    logStep(name, error.message);
  }
}
