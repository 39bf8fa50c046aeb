// Uses real PostgreSQL and Redis, and an api replica over HTTP.
import { ProjectionRebuildService } from '../../../platform/event-store/projection-rebuild.service';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import { USER_RELATIONS, type UserRelationsPort } from '../application/user-relations.port';
import { UsersService } from '../application/users.service';

jest.setTimeout(30_000);

/** No user has this id, because `startTestApi` lets user ids start at a million or more. */
const MISSING_USER_ID = 1;

describe('users', () => {
  let api: TestApi;
  // The relations of the users are fakes: these sets contain pairs, `<viewer id> <user id>`.
  /** The viewer may read the profile of the user. */
  const profileReaders = new Set<string>();
  /** The viewer sees the user online. */
  const onlineReaders = new Set<string>();

  beforeAll(async () => {
    api = await startTestApi();
    const relations = api.app.get<UserRelationsPort>(USER_RELATIONS);
    jest
      .spyOn(relations, 'mayReadProfile')
      .mockImplementation(async (viewer, user) => profileReaders.has(`${viewer} ${user}`));
    jest
      .spyOn(relations, 'isSeenOnline')
      .mockImplementation(async (viewer, user) => onlineReaders.has(`${viewer} ${user}`));
  });
  afterAll(() => api.close());

  const joinAnonymously = async () => {
    const browser = api.openBrowser();
    const response = await browser.post('/api/anonymous').expect(201);
    return { browser, id: response.body.user.id as number, user: response.body.user };
  };

  describe('reading a profile', () => {
    it('a profile cannot be read without a login', async () => {
      const { id } = await joinAnonymously();
      const response = await api.openBrowser().get(`/api/user/${id}`).expect(401);
      expect(response.body).toEqual({ statusCode: 401, code: 'not_signed_in', message: expect.any(String) });
    });

    it('a user can read their own full profile', async () => {
      const { browser, id, user } = await joinAnonymously();
      await browser.get(`/api/user/${id}`).expect(200, user);
    });

    it('a stranger, a missing user and a malformed id all get the same response', async () => {
      const { browser } = await joinAnonymously();
      const stranger = await joinAnonymously();
      const highestValidId = Number.MAX_SAFE_INTEGER; // no user has it
      const malformedIds = [
        '9007199254740993', // above MAX_SAFE_INTEGER, as is the next one
        '99999999999999999',
        '0',
        '-1',
        '1e3',
        '1.0',
        'abc',
        '%00',
        '01',
      ];
      const responses = await Promise.all(
        [stranger.id, highestValidId, ...malformedIds].map((id) => browser.get(`/api/user/${id}`)),
      );
      for (const { status, body } of responses) {
        expect([status, body]).toEqual([
          404,
          { statusCode: 404, code: 'not_found', message: expect.any(String) },
        ]);
      }
    });

    it('a user who may read a profile gets only its public fields', async () => {
      const viewer = await joinAnonymously();
      const other = await joinAnonymously();
      profileReaders.add(`${viewer.id} ${other.id}`);
      const profile = { id: other.id, username: other.user.username, avatar: null };
      await viewer.browser.get(`/api/user/${other.id}`).expect(200, { ...profile, isOnline: false });
      onlineReaders.add(`${viewer.id} ${other.id}`);
      await viewer.browser.get(`/api/user/${other.id}`).expect(200, { ...profile, isOnline: true });
    });

    it('the permission to read a profile is not mutual', async () => {
      const viewer = await joinAnonymously();
      const other = await joinAnonymously();
      profileReaders.add(`${viewer.id} ${other.id}`);
      await other.browser.get(`/api/user/${viewer.id}`).expect(404);
    });

    it('a user can read 120 profiles per minute', async () => {
      const { browser, id } = await joinAnonymously();
      const readsPerMinute = 120;
      const remainingReads = 5;
      const requestCount = 30;
      // Uses up all reads of the minute but the remaining ones, without sending requests.
      const limiter = api.app.get(RateLimiterService);
      const { allowed } = await limiter.take('profile_reads', id, readsPerMinute - remainingReads);
      expect(allowed).toBe(true);
      const responses = await Promise.all(
        Array.from({ length: requestCount }, () => browser.get(`/api/user/${id}`)),
      );
      const successCount = responses.filter(({ status }) => status === 200).length;
      // More requests than the remaining ones may succeed, because the bucket refills meanwhile.
      expect(successCount).toBeGreaterThanOrEqual(remainingReads);
      expect(successCount).toBeLessThan(requestCount);
    });
  });

  describe('changing another user', () => {
    it.each([
      ['put', '', { username: 'Mallory', avatar: null }],
      ['patch', '', { gender: 'male' }],
      ['put', '/email', { newEmail: 'm@example.org', currentPassword: 'secret' }],
      ['put', '/password', { currentPassword: 'secret', newPassword: 'secret2' }],
    ] as const)('is refused for %s /api/user/<id>%s', async (method, path, body) => {
      const mallory = await joinAnonymously();
      const victim = await joinAnonymously();
      // Mallory may read the profile of the victim, but not change it.
      profileReaders.add(`${mallory.id} ${victim.id}`);
      const response = await mallory.browser[method](`/api/user/${victim.id}${path}`).send(body);
      expect(response.body).toEqual({ statusCode: 403, code: 'forbidden', message: expect.any(String) });
      await victim.browser.get(`/api/user/${victim.id}`).expect(200, victim.user);
      await api.openBrowser()[method](`/api/user/${victim.id}${path}`).send(body).expect(401);
    });
  });

  describe('choosing a gender', () => {
    it('a gender can be chosen once', async () => {
      const { browser, id } = await joinAnonymously();
      const response = await browser.patch(`/api/user/${id}`).send({ gender: 'female' }).expect(200);
      expect(response.body.user).toMatchObject({ id, gender: 'female' });
      for (const gender of ['male', 'female']) {
        const secondResponse = await browser.patch(`/api/user/${id}`).send({ gender });
        expect(secondResponse.body).toMatchObject({ statusCode: 409, code: 'gender_already_set' });
      }
    });

    it('only one of ten concurrent requests sets the gender', async () => {
      const { browser, id } = await joinAnonymously();
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          browser.patch(`/api/user/${id}`).send({ gender: index % 2 ? 'male' : 'female' }),
        ),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array<number>(9).fill(409)]);
    });

    it.each([
      ['a preference for both genders', { gender: 'both' }],
      ['null', { gender: null }],
      ['a list', { gender: ['male'] }],
      ['a missing field', {}],
      ['a gender with a capital letter', { gender: 'Male' }],
    ])('%s is refused as a gender', async (_case, body) => {
      const { browser, id } = await joinAnonymously();
      const response = await browser.patch(`/api/user/${id}`).send(body);
      expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    });
  });

  describe('changing the profile', () => {
    it('the name is normalized before it is stored', async () => {
      const { browser, id } = await joinAnonymously();
      const response = await browser
        .put(`/api/user/${id}`)
        .send({ username: '  Ada\u202E\u0007  L. ', avatar: null });
      expect(response.body.user).toMatchObject({ id, username: 'Ada L.' });
      await browser.get(`/api/user/${id}`).expect(200, response.body.user);
    });

    it.each([
      ['an empty name', { username: '', avatar: null }],
      ['a name without visible characters', { username: ' \u200B ', avatar: null }],
      ['a name of 31 characters', { username: 'x'.repeat(31), avatar: null }],
      ['a reserved name', { username: 'admin', avatar: null }],
      ['a name that is not a string', { username: 7, avatar: null }],
      ['no avatar field', { username: 'Ada' }],
      ['no name field', { avatar: null }],
      ['an avatar on another server', { username: 'Ada', avatar: 'https://tracker.example.org/pixel.png' }],
      ['the avatar of another user', { username: 'Ada', avatar: '/api/files/avatars/of-another-user.webp' }],
      ['an avatar that is not a string', { username: 'Ada', avatar: 5 }],
    ])('a profile is refused with %s', async (_reason, body) => {
      const { browser, id, user } = await joinAnonymously();
      const response = await browser.put(`/api/user/${id}`).send(body);
      expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
      await browser.get(`/api/user/${id}`).expect(200, user);
    });

    it('a user can change the name ten times per hour', async () => {
      const { browser, id } = await joinAnonymously();
      const rename = (username: string) => browser.put(`/api/user/${id}`).send({ username, avatar: null });
      for (let count = 1; count <= 10; count += 1) await rename(`Ada ${count}`).expect(200);
      const response = await rename('Ada 11').expect(429);
      // One more change becomes possible every six minutes, and the ten changes have taken only seconds.
      expect(Number(response.get('Retry-After'))).toBeGreaterThan(60);
      // A request with the current name changes nothing, so it does not count.
      await rename('Ada 10').expect(200);
    });
  });

  describe('UsersService', () => {
    it('findProfile returns public fields only, and null for a missing user', async () => {
      const { id, user } = await joinAnonymously();
      const users = api.app.get(UsersService);
      expect(await users.findProfile(id)).toEqual({ id, username: user.username, avatar: null });
      expect(await users.findProfile(MISSING_USER_ID)).toBeNull();
    });

    it('findProfiles returns public fields only, and omits missing users', async () => {
      const [ada, bob] = [await joinAnonymously(), await joinAnonymously()];
      const users = api.app.get(UsersService);
      const profiles = await users.findProfiles([ada.id, bob.id, MISSING_USER_ID]);
      expect(profiles.map(({ id }) => id).sort()).toEqual([ada.id, bob.id].sort());
      expect(profiles).toContainEqual({ id: ada.id, username: ada.user.username, avatar: null });
      expect(await users.findProfiles([])).toEqual([]);
    });

    it('findSearcher, which matching uses, returns the gender null until the user has chosen one', async () => {
      const { browser, id } = await joinAnonymously();
      const users = api.app.get(UsersService);
      expect(await users.findSearcher(id)).toMatchObject({ gender: null });
      await browser.patch(`/api/user/${id}`).send({ gender: 'female' }).expect(200);
      expect(await users.findSearcher(id)).toMatchObject({ gender: 'female' });
    });
  });

  it('a rebuild of the read model restores the same rows', async () => {
    const { browser, id } = await joinAnonymously();
    await browser.patch(`/api/user/${id}`).send({ gender: 'male' }).expect(200);
    await browser.put(`/api/user/${id}`).send({ username: 'Rebuilt', avatar: null }).expect(200);
    // A user with an account, besides the anonymous ones.
    await api
      .openBrowser()
      .post('/api/register')
      .send({ email: 'rebuilt@example.org', password: 'secret' })
      .expect(201);
    const readRows = () => api.database.dataSource.query('SELECT * FROM users ORDER BY id');
    const rowsBefore = await readRows();
    await api.database.dataSource.query(`UPDATE users SET username = 'overwritten', gender = NULL`);
    await api.app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(rowsBefore);
    // The tests above have created more than 20 users.
    expect(rowsBefore.length).toBeGreaterThan(20);
  });
});
