import http from 'node:http';

/** Sends a GET request. @returns the status of the response, or undefined when none arrives within two seconds */
export function getHttpStatus(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });
}
