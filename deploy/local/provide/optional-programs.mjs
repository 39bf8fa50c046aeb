import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder } from '../paths.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

// Programs that only optional stages of `npm test` need: Helm, a validator of Kubernetes manifests, and VersityGW. They
// are built or installed into a cache outside the repository, a folder for each program and version.

const INSTALLATION_LIMIT_MS = 15 * 60_000;
const getCacheFolder = (name, version) => path.join(os.homedir(), '.cache', 'thaw', `${name}-${version}`);

/** Programs written in Go, in the releases with which the optional stages were tested. */
const goPrograms = {
  helm: { version: 'v3.22.0', module: 'helm.sh/helm/v3/cmd/helm' },
  versitygw: { version: 'v1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' },
};
const getGoProgramFolder = (name) => getCacheFolder(name, goPrograms[name].version);

/** A package of PyPI, with a program that validates manifests against the schemas of Kubernetes. */
const validator = { name: 'kubernetes-validate', version: '1.37.0' };
const validatorFolder = getCacheFolder(validator.name, validator.version);

/** Returns the path of an installed or cached program, or undefined. */
const findGoProgram = (name) => findProgram([name], [getGoProgramFolder(name)]);
/** Returns the path of the installed or cached validator, or undefined. */
const findValidator = () => findProgram([validator.name], [path.join(validatorFolder, 'bin')]);

/** Returns the path of VersityGW, or undefined. */
export const findVersityGw = () => findGoProgram('versitygw');

/** Returns environment variables with the paths of Helm and the validator; undefined unless both programs exist. */
export const findHelmEnvironment = () => {
  const helmPath = findGoProgram('helm');
  const validatorPath = findValidator();
  if (!helmPath || !validatorPath) return undefined;
  return { HELM_PATH: helmPath, KUBERNETES_VALIDATE_PATH: validatorPath };
};

/** Provides Helm (needs Go) and the validator (needs Python) in the cache if they are missing. Only logs a failure. */
export async function provideHelmAndValidator(logStep) {
  await provideGoProgram('helm', logStep);
  await provideValidator(logStep);
}

/** Provides VersityGW (needs Go) in the cache if it is missing. Only logs a failure. */
export const provideVersityGw = (logStep) => provideGoProgram('versitygw', logStep);

async function provideGoProgram(name, logStep) {
  if (findGoProgram(name)) return;
  const go = findProgram(['go'], ['/usr/local/go/bin']);
  if (!go) return;
  const { module, version } = goPrograms[name];
  await runInstaller(logStep, {
    name,
    step: `building ${version}, which takes a few minutes`,
    command: go,
    args: ['install', `${module}@${version}`],
    env: { ...process.env, GOBIN: ensureFolder(getGoProgramFolder(name)) },
  });
}

async function provideValidator(logStep) {
  if (findValidator()) return;
  const python = findProgram(['python3']);
  if (!python) return;
  const { name, version } = validator;
  const step = `installing ${version}`;
  await runInstaller(logStep, { name, step, command: python, args: ['-m', 'venv', validatorFolder] });
  await runInstaller(logStep, {
    name,
    step,
    command: path.join(validatorFolder, 'bin', 'pip'),
    args: ['install', '--quiet', `${name}==${version}`],
  });
}

/** Logs `step` and runs one command of the installation of `name`. Only logs a failure. */
async function runInstaller(logStep, { name, step, command, args, env = process.env }) {
  logStep(name, step);
  try {
    await runOrThrow(`${name} cannot be installed`, command, args, { env, limitMs: INSTALLATION_LIMIT_MS });
  } catch (error) {
    logStep(name, error.message);
  }
}
