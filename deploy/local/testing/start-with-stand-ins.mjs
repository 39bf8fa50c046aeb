import { start } from '../commands/start.mjs';
import { runCommand } from '../node-version.mjs';
import { standIns } from './stand-ins.mjs';

// `npm start` in everything but the product: start-with-stand-ins.mjs <home> <port> <replicas> [<worker's role>]

runCommand(async () => ({
  main: ([home, port, replicas, workerRole = 'worker']) =>
    start({
      replicas: Number(replicas),
      port: Number(port),
      isVerbose: false,
      home,
      isDurable: false,
      prepare: [],
      programs: { ...standIns, worker: standIns[workerRole] },
      page: '/nonexistent',
    }),
}));
