import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// Stands in for the services of AWS from which a process without keys gets credentials, and for S3. Such a process uses
// the role of the container or of the machine in which it runs:
// - A container asks a URL for the credentials, here `/role`, and authenticates with a token.
// - A machine asks its metadata service, whose paths begin with `/latest/`: for a token, for the name of its role, and
//   for the credentials of this role.

/** A server in place of AWS. */
export interface FakeAws {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The requests for credentials of a role so far: method, path, and authorization if there is one. */
  roleRequests: string[];
  /** `<access key id>, <session token>` of each request to S3 so far. */
  s3RequestCredentials: string[];
  close(): Promise<void>;
}

const isRoleRequest = (url: string): boolean => url === '/role' || url.startsWith('/latest/');

const answerRoleRequest = (url: string, response: ServerResponse): void => {
  if (url === '/latest/api/token') {
    response.end('token of the machine');
  } else if (url.endsWith('/security-credentials/')) {
    response.end('thaw'); // the name of the role
  } else {
    const roleCredentials = {
      Code: 'Success',
      AccessKeyId: 'ROLEKEY',
      SecretAccessKey: 'secret',
      Token: 'a session token',
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(roleCredentials));
  }
};

export const startFakeAws = async (): Promise<FakeAws> => {
  const roleRequests: string[] = [];
  const s3RequestCredentials: string[] = [];
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    if (isRoleRequest(url)) {
      roleRequests.push(`${method} ${url} ${headers.authorization ?? ''}`.trim());
      answerRoleRequest(url, response);
      return;
    }
    const accessKeyId = /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1];
    s3RequestCredentials.push(`${accessKeyId}, ${String(headers['x-amz-security-token'])}`);
    request.resume().on('end', () => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    roleRequests,
    s3RequestCredentials,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
