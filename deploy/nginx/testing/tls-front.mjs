import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptsConnections } from '../../local/processes/ports.mjs';
import { findProgram } from '../../local/provide/find-program.mjs';
import { findNginx } from '../../local/proxy/nginx.mjs';
import { ensurePrivateFolder, resolveInRepository } from '../../local/paths.mjs';

const POLL_MS = 25;
const MAX_POLLS = 200;

export const hasOpenssl = findProgram(['openssl']) !== undefined;

/**
 * Starts an nginx with tls-front.conf (an example of TLS in front of Thaw) and a new self-signed certificate.
 * @param {{home: string, ports: {tls: number, plain: number, thaw: number}}} options  `thaw`: port of Thaw's own nginx
 * @returns {Promise<{certificate: Buffer, stop: () => Promise<void>}>}
 */
export async function startTlsFront({ home, ports }) {
  const folder = ensurePrivateFolder(home, 'tls-front');
  const [key, certificate] = ['privkey.pem', 'fullchain.pem'].map((name) => path.join(folder, name));
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...keyOptions, '-days', '2', ...subject, '-keyout', key, '-out', certificate],
    {
      stdio: 'ignore',
    },
  );
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
  // The default folders may be outside `home`, in places where nginx has no permission to write.
  const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const mainDirectives = [
    'daemon off;',
    // By default, the workers of an nginx that runs as root run as a user who may not enter the private folder.
    process.getuid?.() === 0 ? 'user root root;' : '',
    `pid ${folder}/nginx.pid;`,
  ];
  const configuration = `${mainDirectives.join('\n')}\nevents {}\nhttp {\naccess_log off;\n${temporaryFolders.join('\n')}\n${site}}\n`;
  const file = path.join(folder, 'nginx.conf');
  fs.writeFileSync(file, configuration);
  const logNothing = () => {};
  const { command, env } = await findNginx(logNothing);
  const child = spawn(command, ['-p', folder, '-c', file, '-e', 'stderr'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  for (let polls = 0; !(await acceptsConnections('127.0.0.1', ports.tls, 1_000)); polls += 1) {
    if (polls === MAX_POLLS || child.exitCode !== null) throw new Error('nginx with TLS did not start');
    await sleep(POLL_MS);
  }
  return {
    certificate: fs.readFileSync(certificate),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Sends a request with TLS, checking the certificate for localhost, or without TLS if no certificate is passed.
 * @param {{port: number, certificate?: Buffer, from?: string, url: string, method?: string, headers?: object,
 * body?: string}} options `from`: address of the client; `url`: path and query
 */
export const send = ({ port, certificate, from, url, method = 'GET', headers = {}, body }) =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: url, method, agent: false, localAddress: from };
    const tls = { servername: 'localhost', ca: certificate };
    const allHeaders = { Host: `localhost:${port}`, ...headers };
    const request = certificate
      ? https.request({ ...options, ...tls, headers: allHeaders })
      : http.request({ ...options, headers: allHeaders });
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
