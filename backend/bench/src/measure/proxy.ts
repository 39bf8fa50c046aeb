import path from 'node:path';
import { prepareNginx } from '../../../../deploy/local/proxy/nginx.mjs';
import { findFreePorts } from '../../../../deploy/local/processes/ports.mjs';
import { logProgress } from '../figures/figure';
import { ServerProcess } from './server-process';

const builtPage = path.resolve(__dirname, '../../../../frontend/dist');

/**
 * Starts nginx in front of the api replicas, configured as by `npm start -- --replicas N`, with the rate limits of the
 * profile `load`.
 * @param home folder for the configuration and the logs of nginx
 */
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
    page: builtPage,
    limitsProfile: 'load',
    logStep: (label, text) => logProgress(`${label}: ${text}`),
  });
  const origin = `http://127.0.0.1:${port}`;
  return { server: await ServerProcess.startProgram(definition, origin), origin };
};
