import { parseRedisAddress } from './redis-address.parser';

describe('parseRedisAddress', () => {
  it.each(['redis://localhost', 'rediss://:secret@redis.example:6380/3'])(
    'returns the address of a single server as it is: %s',
    (url) => {
      expect(parseRedisAddress(url)).toEqual({ kind: 'server', url });
    },
  );

  it('reads the credentials of a cluster, whose password may contain a colon and an encoded @', () => {
    expect(parseRedisAddress('redis+cluster://thaw:p%40ss:word@one')).toMatchObject({
      username: 'thaw',
      password: 'p@ss:word',
    });
  });

  it('reads the nodes of a cluster: names, IPv4 and IPv6 addresses, with or without a port', () => {
    expect(parseRedisAddress('redis+cluster://thaw:secret@one:7001,10.0.0.2:7002,[::1]:7003,two')).toEqual({
      kind: 'cluster',
      hasTls: false,
      username: 'thaw',
      password: 'secret',
      nodes: [
        { host: 'one', port: 7001 },
        { host: '10.0.0.2', port: 7002 },
        { host: '::1', port: 7003 },
        { host: 'two', port: 6379 },
      ],
    });
  });

  it('reads a cluster with TLS, and with a password without a username', () => {
    expect(parseRedisAddress('rediss+cluster://:secret@one')).toMatchObject({
      hasTls: true,
      password: 'secret',
    });
  });

  it('reads the name of the primary that Sentinel watches', () => {
    expect(parseRedisAddress('redis+sentinel://one,two:26380/thaw-primary')).toEqual({
      kind: 'sentinel',
      primaryName: 'thaw-primary',
      nodes: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 26380 },
      ],
    });
  });

  it.each([
    ['http://localhost', 'another protocol'],
    ['localhost:6379', 'no protocol'],
    ['redis+cluster://', 'no nodes'],
    ['redis+cluster://one:7001/2', 'a cluster with a database number'],
    ['redis+cluster://one:0', 'the port 0'],
    ['redis+cluster://one:65536', 'a port that is too high'],
    ['redis+cluster://one,,two', 'an empty node'],
    ['redis+cluster://name@one', 'a user without a password'],
    ['redis+cluster://:%zz@one', 'a malformed percent-encoding'],
    ['redis+sentinel://one:26379', 'Sentinels without the name of a primary'],
    ['redis+sentinel://one:26379/a/b', 'Sentinels with two names'],
    ['rediss+sentinel://one/name', 'Sentinels with TLS, which are not supported'],
  ])('refuses %s: %s', (url) => {
    expect(parseRedisAddress(url)).toBeUndefined();
  });
});
