import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { resolveInRepository, ensurePrivateFolder } from '../paths.mjs';
import { unpackDebian } from '../provide/debian-packages.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { hasIpv6Loopback } from '../processes/ports.mjs';

const TEMPLATE = resolveInRepository('deploy/nginx/local.conf.template');
/** Maximum number of connections that wait to be accepted: enough for all clients to reconnect at the same time. */
const LISTEN_BACKLOG = 4_096;

/**
 * @typedef {object} NginxOptions
 * @property {string} home              folder of the launcher for data and logs
 * @property {number} port              port of the page
 * @property {string} [host]            address to listen on; both loopback addresses by default
 * @property {number[]} apiPorts        ports of the replicas
 * @property {string} page              folder of the built page
 * @property {string} [publicOrigin]    value of PUBLIC_ORIGIN
 * @property {string} [trustedProxies]  value of TRUSTED_PROXIES, one address or network
 * @property {string} limitsProfile     value of LIMITS_PROFILE
 * @property {(label: string, text: string) => void} logStep  logs a step of the launcher
 */

/**
 * Writes the configuration of an nginx in front of the replicas (api processes), and returns the definition of its
 * process. This nginx writes files only under the home folder.
 * @param {NginxOptions} options
 * @returns {Promise<import('../processes/logged-process.mjs').ProcessDefinition>} without `isReady` (the caller adds
 * it)
 * @throws {LauncherError} when no nginx is found, or a setting cannot be written into its configuration
 */
export async function prepareNginx({
  home,
  port,
  host,
  apiPorts,
  page,
  publicOrigin,
  trustedProxies,
  limitsProfile,
  logStep,
}) {
  const program = await findNginx(logStep);
  const runFolder = ensurePrivateFolder(home, 'run');
  const listenAddresses = await chooseListenAddresses(host);
  /** The values of the `{{names}}` in the template. */
  const values = {
    // If root starts nginx, its workers run as its default user, which cannot read a checkout owned by root.
    user: process.getuid?.() === 0 ? 'user root root;' : '',
    port,
    run: checkPath(runFolder),
    page: checkPath(page),
    // The folder of http.conf and server.conf, which the template includes.
    shared: checkPath(path.dirname(TEMPLATE)),
    publicOrigin: checkOrigin(publicOrigin),
    realAddresses: trustedProxies
      ? joinLines([`set_real_ip_from ${checkNetwork(trustedProxies)};`, 'real_ip_header X-Forwarded-For;'])
      : '',
    limitsProfile,
    // With max_fails=0, nginx never marks a replica as down, so it uses a restarted replica immediately.
    servers: joinLines(apiPorts.map((apiPort) => `server 127.0.0.1:${apiPort} max_fails=0;`)),
    listens: joinLines(
      listenAddresses.map((address) => `listen ${address}:${port} backlog=${LISTEN_BACKLOG};`),
    ),
  };
  const configurationFile = path.join(runFolder, `nginx-${port}.conf`);
  fs.writeFileSync(configurationFile, fillTemplate(fs.readFileSync(TEMPLATE, 'utf8'), values));
  return {
    name: 'nginx',
    command: program.command,
    args: ['-p', runFolder, '-c', configurationFile, '-e', 'stderr'],
    env: { ...process.env, ...program.env },
    logFile: path.join(ensurePrivateFolder(home, 'logs'), 'nginx.log'),
  };
}

/** Finds an installed nginx, or unpacks one from Debian packages. @throws {LauncherError} when there is none */
export async function findNginx(logStep) {
  const command = findProgram(
    ['nginx'],
    ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
  );
  if (command) return { command, env: {} };
  const unpacked = await unpackDebian(['nginx'], 'usr/sbin/nginx', logStep);
  if (unpacked) return unpacked;
  throw new LauncherError('Several replicas need nginx in front of them and none was found: install nginx.');
}

async function chooseListenAddresses(host) {
  if (host) return [host.includes(':') ? `[${host}]` : host];
  return (await hasIpv6Loopback()) ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
}

/** Joins directives with the indentation of the template. */
const joinLines = (directives) => directives.join('\n    ');

/** Replaces each `{{name}}` for which there is a value. The word `{{names}}` in a comment of the template has none. */
function fillTemplate(template, values) {
  return template.replace(/\{\{(\w+)\}\}/g, (placeholder, name) => values[name] ?? placeholder);
}

/** Returns the origin unchanged, or '' if none is set. @throws {LauncherError} if it is not an HTTP origin */
function checkOrigin(origin = '') {
  if (origin === '' || /^https?:\/\/[\w.:[\]-]+\/?$/.test(origin)) return origin;
  throw new LauncherError(`PUBLIC_ORIGIN must look like https://thaw.example, not "${origin}".`);
}

/** Returns the network unchanged. @throws {LauncherError} if it is not an address or a network in CIDR notation */
function checkNetwork(network) {
  if (/^[\da-fA-F.:]+(\/\d+)?$/.test(network)) return network;
  throw new LauncherError(`TRUSTED_PROXIES must look like 10.0.0.0/8, not "${network}".`);
}

/** Returns the path unchanged. @throws {LauncherError} if it would need quoting in the configuration of nginx */
function checkPath(file) {
  if (/["'\\{};$\s]/.test(file))
    throw new LauncherError(
      `The name of this folder cannot be written into the configuration of nginx: ${file}`,
    );
  return file;
}
