import { start } from '../commands/start.mjs';
import { checkNodeThenRun } from '../node-version.mjs';
import { standIns } from './stand-ins.mjs';

// `npm start` with stand-ins for the programs of the product.
// Usage: start-with-stand-ins.mjs <home> <port> <replicas> [<name of the worker's stand-in>]

// `checkNodeThenRun` expects a function that loads a command module. This object takes the place of the module.
checkNodeThenRun(async () => ({
  main: ([home, port, replicas, workerStandIn = 'worker']) =>
    start({
      replicas: Number(replicas),
      port: Number(port),
      isVerbose: false,
      home,
      isDurable: false,
      prepare: [], // nothing to install or build
      programs: { ...standIns, worker: standIns[workerStandIn] },
      // The stand-ins serve no built page.
      page: '/nonexistent',
    }),
}));
