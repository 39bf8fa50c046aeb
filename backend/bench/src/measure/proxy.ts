import path from 'node:path';
import { prepareNginx } from '../../../../deploy/local/proxy/nginx.mjs';
import { findFreePorts } from '../../../../deploy/local/processes/ports.mjs';
import { logProgress } from '../figures/figure';
import { ServerProcess } from './server-process';

const page = path.resolve(__dirname, '../../../../frontend/dist');

/** Starts nginx in front of servers, with the settings of `npm start -- --replicas N`. */
export const startProxy = async (
  home: string,
  apiPorts: readonly number[],
): Promise<{ server: ServerProcess; origin: string }> => {
  const [port = 0] = await findFreePorts(1);
  const definition = await prepareNginx({
    home,
    port,
    host: '127.0.0.1',
    apiPorts: [...apiPorts],
    page,
    limitsProfile: 'load',
    logStep: (label, text) => logProgress(`${label}: ${text}`),
  });
  const origin = `http://127.0.0.1:${port}`;
  return { server: await ServerProcess.startProgram(definition, origin), origin };
};
