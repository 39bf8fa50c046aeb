import process from 'node:process';
import { localHome } from '../../../deploy/local/paths.mjs';
import { start } from '../../../deploy/local/commands/start.mjs';
import { build } from '../../../deploy/local/provide/build.mjs';
import { ensurePackages } from '../../../deploy/local/provide/node-packages.mjs';

// Does what `npm start` does, but with the data folder THAW_HOME, so that the bench does not use the data of the
// checkout.
const { PORT, THAW_HOME: home = localHome } = process.env;
await start({ replicas: 1, port: Number(PORT), isVerbose: false, home, prepare: [ensurePackages, build] });
