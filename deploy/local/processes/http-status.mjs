import http from 'node:http';

const TIMEOUT_MS = 2_000;

/**
 * Sends a GET request.
 * @returns {Promise<number | undefined>} the status of the response; undefined when the connection fails or stays idle
 *   for two seconds
 */
export function getHttpStatus(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });
}
