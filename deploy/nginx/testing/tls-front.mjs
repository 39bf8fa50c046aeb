import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { logNothing } from '../../local/console.mjs';
import { acceptsConnections } from '../../local/processes/ports.mjs';
import { findProgram } from '../../local/provide/find-program.mjs';
import { findNginx } from '../../local/proxy/nginx.mjs';
import { ensurePrivateFolder, resolveInRepository } from '../../local/paths.mjs';

const POLL_MS = 25;
const START_WITHIN_MS = 5_000;

export const hasOpenssl = findProgram(['openssl']) !== undefined;

/**
 * Starts an nginx with tls-front.conf (an example of TLS in front of Thaw) and a new self-signed certificate.
 * @param {{home: string, ports: {tls: number, plain: number, thaw: number}}} options  `thaw`: port of Thaw's own nginx
 * @returns {Promise<{certificate: Buffer, stop: () => Promise<void>}>}
 */
export async function startTlsFront({ home, ports }) {
  const folder = ensurePrivateFolder(home, 'tls-front');
  const certificate = createCertificate(folder);
  const configurationFile = path.join(folder, 'nginx.conf');
  fs.writeFileSync(configurationFile, createConfiguration(folder, ports));
  const { command, env } = await findNginx(logNothing);
  const child = spawn(command, ['-p', folder, '-c', configurationFile, '-e', 'stderr'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  await waitUntilListening(child, ports.tls);
  return {
    certificate,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Creates a key and a certificate for localhost, in files that are named as in the example. */
function createCertificate(folder) {
  const keyFile = path.join(folder, 'privkey.pem');
  const certificateFile = path.join(folder, 'fullchain.pem');
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  const args = ['req', '-x509', ...keyOptions, '-days', '2', ...subject, ...files];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return fs.readFileSync(certificateFile);
}

/** Completes the example to a configuration of nginx, which writes only under `folder`. */
function createConfiguration(folder, ports) {
  // The default folders may be outside `folder`, in places where nginx has no permission to write.
  const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const lines = [
    'daemon off;',
    // By default, the workers of an nginx that runs as root run as a user who may not enter the private folder.
    process.getuid?.() === 0 ? 'user root root;' : '',
    `pid ${folder}/nginx.pid;`,
    'events {}',
    'http {',
    'access_log off;',
    ...temporaryFolders,
    adaptExample(folder, ports),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** Replaces the addresses and paths of the example. @throws {Error} when the example does not have one of them */
function adaptExample(folder, ports) {
  const replacements = {
    'listen 443': `listen 127.0.0.1:${ports.tls}`,
    'listen 80;': `listen 127.0.0.1:${ports.plain};`,
    'http://127.0.0.1:8080': `http://127.0.0.1:${ports.thaw}`,
    '/etc/ssl/chat.example': folder,
    'server_name chat.example;': 'server_name localhost;',
    'https://chat.example$request_uri': `https://localhost:${ports.tls}$request_uri`,
  };
  let site = fs.readFileSync(resolveInRepository('deploy/nginx/tls-front.conf'), 'utf8');
  for (const [example, value] of Object.entries(replacements)) {
    if (!site.includes(example)) throw new Error(`The example has no "${example}"`);
    site = site.replaceAll(example, value);
  }
  return site;
}

async function waitUntilListening(child, port) {
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await acceptsConnections('127.0.0.1', port, 1_000))) {
    const hasFailed = child.exitCode !== null || Date.now() > deadline;
    if (hasFailed) throw new Error('nginx with TLS did not start');
    await sleep(POLL_MS);
  }
}

/**
 * Sends a request to localhost: with TLS and a check of the certificate, or without TLS if no certificate is passed.
 * @param {object} options
 * @param {number} options.port
 * @param {Buffer} [options.certificate]
 * @param {string} [options.from]  local address of the connection, which is the client's address
 * @param {string} options.url  path and query
 * @param {string} [options.method]
 * @param {object} [options.headers]
 * @param {string} [options.body]
 * @returns {Promise<{status: number, headers: object, text?: string}>} no text after an upgrade to a WebSocket
 */
export const send = ({ port, certificate, from, url, method = 'GET', headers = {}, body }) =>
  new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: url,
      method,
      agent: false,
      localAddress: from,
      headers: { Host: `localhost:${port}`, ...headers },
    };
    const request = certificate
      ? https.request({ ...options, servername: 'localhost', ca: certificate })
      : http.request(options);
    request.once('error', reject);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode, headers: response.headers });
    });
    request.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.end(body);
  });
