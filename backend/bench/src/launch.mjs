import process from 'node:process';
import { localHome } from '../../../deploy/local/paths.mjs';
import { start } from '../../../deploy/local/commands/start.mjs';
import { build } from '../../../deploy/local/provide/build.mjs';
import { ensurePackages } from '../../../deploy/local/provide/node-packages.mjs';

// `npm start`, with a home of its own, so that the bench leaves the data of the checkout alone.
const { PORT, THAW_HOME: home = localHome } = process.env;
await start({ replicas: 1, port: Number(PORT), isVerbose: false, home, prepare: [ensurePackages, build] });
