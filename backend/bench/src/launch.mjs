import process from 'node:process';
import { localHome } from '../../../deploy/local/paths.mjs';
import { start } from '../../../deploy/local/commands/start.mjs';
import { build } from '../../../deploy/local/provide/build.mjs';
import { ensurePackages } from '../../../deploy/local/provide/node-packages.mjs';

// Does what `npm start` does. start.figure.ts sets PORT, and sets THAW_HOME to a data folder of its own. The default,
// `localHome`, is the data folder of the checkout.
const { PORT, THAW_HOME: home = localHome } = process.env;
await start({ replicas: 1, port: Number(PORT), isVerbose: false, home, prepare: [ensurePackages, build] });
