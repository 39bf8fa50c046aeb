import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { inRepository, privateFolder } from '../places.mjs';
import { unpackDebian } from '../provide/debian-packages.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { hasIpv6Loopback } from '../processes/ports.mjs';

const TEMPLATE = inRepository('deploy/nginx/local.conf.template');

/**
 * Writes the configuration of an nginx in front of the replicas and returns how to start it. Everything nginx writes
 * lies under the home.
 * @param {{home: string, port: number, host?: string, apiPorts: number[], page: string,
 *   publicOrigin?: string, limitsProfile: string, say: Function}} options
 *   `page`: folder of the built page; `host`: address to listen on instead of both loopback addresses;
 *   `publicOrigin`: PUBLIC_ORIGIN; `limitsProfile`: LIMITS_PROFILE
 * @returns {Promise<import('../processes/logged-process.mjs').ProcessDefinition>} without `isReady`
 * @throws {Complaint} when no nginx is found, or a setting cannot be written into its configuration
 */
export async function nginxDefinition({
  home,
  port,
  host,
  apiPorts,
  page,
  publicOrigin,
  limitsProfile,
  say,
}) {
  const program = await nginxProgram(say);
  const run = privateFolder(home, 'run');
  const settingsFile = path.join(run, `nginx-${port}.conf`);
  fs.writeFileSync(
    settingsFile,
    fillIn(fs.readFileSync(TEMPLATE, 'utf8'), {
      // nginx's default user cannot read a checkout owned by root, so nginx runs as the user who started Thaw.
      user: process.getuid?.() === 0 ? 'user root root;' : '',
      port,
      run: quoted(run),
      page: quoted(page),
      shared: quoted(path.dirname(TEMPLATE)),
      publicOrigin: checkedOrigin(publicOrigin),
      limitsProfile,
      servers: apiPorts.map((apiPort) => `server 127.0.0.1:${apiPort} max_fails=0;`).join('\n    '),
      listens: (await addresses(host))
        .map((address) => `listen ${address}:${port} backlog=4096;`)
        .join('\n    '),
    }),
  );
  return {
    name: 'nginx',
    command: program.command,
    args: ['-p', run, '-c', settingsFile, '-e', 'stderr'],
    env: { ...process.env, ...program.env },
    logFile: path.join(privateFolder(home, 'logs'), 'nginx.log'),
  };
}

async function nginxProgram(say) {
  const command = findProgram(
    ['nginx'],
    ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
  );
  if (command) return { command, env: {} };
  const unpacked = await unpackDebian(['nginx'], 'usr/sbin/nginx', say);
  if (unpacked) return unpacked;
  throw new Complaint('Several replicas need nginx in front of them and none was found: install nginx.');
}

async function addresses(host) {
  if (host) return [host.includes(':') ? `[${host}]` : host];
  return (await hasIpv6Loopback()) ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
}

function fillIn(template, values) {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole);
}

function checkedOrigin(origin = '') {
  if (origin === '' || /^https?:\/\/[\w.:[\]-]+\/?$/.test(origin)) return origin;
  throw new Complaint(`PUBLIC_ORIGIN must look like https://thaw.example, not "${origin}".`);
}

/** A path that needs no quoting in nginx's configuration. @throws {Complaint} for a path that does */
function quoted(file) {
  if (/["'\\{};$\s]/.test(file))
    throw new Complaint(`nginx cannot be told of a folder with such a name: ${file}`);
  return file;
}
