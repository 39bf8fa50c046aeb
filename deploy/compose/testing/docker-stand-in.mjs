#!/usr/bin/env node
// Stands in for `docker`: records its arguments and simulates containers. Both are in the JSON file at STAND_IN_STATE:
// { calls: string[], running: { id, service }[], createdCount: number, failingCommand?: string }
// A call that contains `failingCommand` exits with code 1.
import fs from 'node:fs';
import process from 'node:process';

const stateFile = process.env.STAND_IN_STATE;
const state = JSON.parse(fs.readFileSync(stateFile, 'utf8'));
const args = process.argv.slice(2);
const call = args.join(' ');
state.calls.push(call);

let exitCode = 0;
if (state.failingCommand && call.includes(state.failingCommand)) {
  exitCode = 1;
} else if (args[0] === 'stop') {
  // docker stop ID
  state.running = state.running.filter(({ id }) => id !== args[1]);
} else if (args[1] === 'ps') {
  // docker compose ps -q SERVICE
  const ids = state.running.filter(({ service }) => service === args.at(-1)).map(({ id }) => id);
  process.stdout.write(ids.map((id) => `${id}\n`).join(''));
} else if (args[1] === 'up' && args.includes('--scale')) {
  // docker compose up ... --scale SERVICE=COUNT SERVICE
  const [service, wanted] = args[args.indexOf('--scale') + 1].split('=');
  while (state.running.filter((container) => container.service === service).length < Number(wanted)) {
    state.createdCount += 1;
    state.running.push({ id: `${service}-new-${state.createdCount}`, service });
  }
} else if (args[1] === 'stop') {
  // docker compose stop SERVICE
  state.running = state.running.filter(({ service }) => service !== args[2]);
}

fs.writeFileSync(stateFile, JSON.stringify(state));
process.exitCode = exitCode;
