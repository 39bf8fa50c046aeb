import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder } from '../paths.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

// These programs are needed only by optional stages of `npm test`. They are built or installed into a cache outside the
// repository.

const INSTALLATION_LIMIT_MS = 15 * 60_000;
const getCacheFolder = (name) => path.join(os.homedir(), '.cache', 'thaw', name);

/** Programs written in Go, in the releases with which the optional stages were tested. */
const goPrograms = {
  helm: { version: 'v3.22.0', module: 'helm.sh/helm/v3/cmd/helm' },
  versitygw: { version: 'v1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' },
};
/** A PyPI package that validates manifests against the schemas of Kubernetes. */
const VALIDATOR = { name: 'kubernetes-validate', version: '1.37.0' };
const validatorFolder = getCacheFolder(`${VALIDATOR.name}-${VALIDATOR.version}`);

const getGoCacheFolder = (name) => getCacheFolder(`${name}-${goPrograms[name].version}`);
/** Returns the path of an installed or cached program, or undefined. */
const findGoProgram = (name) => findProgram([name], [getGoCacheFolder(name)]);
const findValidator = () => findProgram([VALIDATOR.name], [path.join(validatorFolder, 'bin')]);

/** Returns the path of VersityGW, or undefined. */
export const findVersityGw = () => findGoProgram('versitygw');

/** Returns environment variables with the paths of Helm and the validator; undefined unless both programs exist. */
export const findHelmEnvironment = () => {
  const [helm, validator] = [findGoProgram('helm'), findValidator()];
  return helm && validator ? { HELM_PATH: helm, KUBERNETES_VALIDATE_PATH: validator } : undefined;
};

/**
 * Installs Helm and the validator into the cache if they are missing. Helm needs Go, the validator needs Python. A
 * failure is only logged.
 */
export async function provideHelm(logStep) {
  await provideGoProgram('helm', logStep);
  const python = findProgram(['python3']);
  if (!python || findValidator()) return;
  const step = `installing ${VALIDATOR.version}`;
  await runInstaller(logStep, VALIDATOR.name, step, {
    command: python,
    args: ['-m', 'venv', validatorFolder],
    env: process.env,
  });
  await runInstaller(logStep, VALIDATOR.name, step, {
    command: path.join(validatorFolder, 'bin', 'pip'),
    args: ['install', '--quiet', `${VALIDATOR.name}==${VALIDATOR.version}`],
    env: process.env,
  });
}

/** Builds VersityGW into the cache if it is missing and Go is installed. A failure is only logged. */
export const provideVersityGw = (logStep) => provideGoProgram('versitygw', logStep);

async function provideGoProgram(name, logStep) {
  const go = findProgram(['go'], ['/usr/local/go/bin']);
  if (!go || findGoProgram(name)) return;
  const { module, version } = goPrograms[name];
  await runInstaller(logStep, name, `building ${version}, which takes a few minutes`, {
    command: go,
    args: ['install', `${module}@${version}`],
    env: { ...process.env, GOBIN: ensureFolder(getGoCacheFolder(name)) },
  });
}

/** Runs a program that installs `name`. A failure is only logged. */
async function runInstaller(logStep, name, step, { command, args, env }) {
  logStep(name, step);
  try {
    await runOrThrow(`${name} cannot be installed`, command, args, { env, limitMs: INSTALLATION_LIMIT_MS });
  } catch (error) {
    logStep(name, error.message);
  }
}
