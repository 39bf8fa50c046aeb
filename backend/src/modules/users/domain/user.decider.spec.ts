import { createGiven } from '../../../testing/given.fixture';
import type { UserCommand } from './user.commands';
import { userDecider } from './user.decider';
import type { UserEvent } from './user.events';

const given = createGiven(userDecider);
const userId = 7;
const at = new Date('2026-11-20T12:00:00Z');
const eventId = '11111111-1111-4111-8111-111111111111';

const createRegistered = (): UserEvent => ({
  type: 'UserRegistered',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000', email: 'ada@example.org' },
});
const createAnonymousStarted = (): UserEvent => ({
  type: 'AnonymousUserStarted',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000' },
});
const createFemaleChosen = (): UserEvent => ({
  type: 'GenderChosen',
  eventId,
  occurredAt: at,
  data: { userId, gender: 'female' },
});

const commandBase = { userId, eventId, at };
const chooseMale: UserCommand = { ...commandBase, type: 'ChooseGender', gender: 'male' };
const convert: UserCommand = { ...commandBase, type: 'ConvertAccount', email: 'ada@example.org' };
const changeEmail: UserCommand = { ...commandBase, type: 'ChangeEmail', email: 'new@example.org' };
const changeProfile = (username: string, avatar: string | null = null): UserCommand => ({
  ...commandBase,
  type: 'ChangeProfile',
  username,
  avatar,
});

describe('userDecider', () => {
  it('registers a user', () => {
    given()
      .when({ ...commandBase, type: 'RegisterUser', username: 'bold-fox-1', email: 'bo@example.org' })
      .then({ type: 'UserRegistered', eventId, occurredAt: at, data: { userId, email: 'bo@example.org' } });
  });

  it('starts an anonymous user', () => {
    given()
      .when({ ...commandBase, type: 'StartAnonymousUser', username: 'bold-fox-1' })
      .then({ type: 'AnonymousUserStarted', data: { userId, username: 'bold-fox-1' } });
  });

  it('rejects commands that change a missing user', () => {
    for (const command of [chooseMale, convert, changeEmail, changeProfile('Ada')]) {
      given().when(command).thenThrows('not_found');
    }
  });

  it('refuses to create a second user with the same id', () => {
    const secondStart: UserCommand = { ...commandBase, type: 'StartAnonymousUser', username: 'bold-fox-1' };
    expect(() => given(createAnonymousStarted()).when(secondStart).decide()).toThrow('taken');
  });

  it('sets the gender once (A34)', () => {
    given(createAnonymousStarted())
      .when(chooseMale)
      .then({ type: 'GenderChosen', data: { userId, gender: 'male' } });
    given(createAnonymousStarted(), createFemaleChosen()).when(chooseMale).thenThrows('gender_already_set');
  });

  it('converts an anonymous account to a registered one, once (A16)', () => {
    given(createAnonymousStarted())
      .when(convert)
      .then({ type: 'AccountConverted', data: { email: 'ada@example.org' } });
    given(createRegistered()).when(convert).thenThrows('not_anonymous');
  });

  it('changes the e-mail of registered accounts only', () => {
    given(createRegistered())
      .when(changeEmail)
      .then({ type: 'EmailChanged', data: { email: 'new@example.org' } });
    given(createAnonymousStarted()).when(changeEmail).thenThrows('forbidden');
    given(createRegistered())
      .when({ ...changeEmail, email: 'ada@example.org' })
      .thenNothing();
  });

  it('changes name and avatar', () => {
    given(createRegistered())
      .when(changeProfile('  Ada  ', '/api/files/avatars/a.webp'))
      .then({ type: 'ProfileChanged', data: { username: 'Ada', avatar: '/api/files/avatars/a.webp' } });
    given(createRegistered()).when(changeProfile('quiet-otter-1000')).thenNothing();
  });

  it('rejects unacceptable names (A08)', () => {
    for (const name of ['', '   ', 'x'.repeat(31), 'Admin']) {
      given(createRegistered()).when(changeProfile(name)).thenThrows('validation_failed');
    }
  });
});

describe('userDecider for moderators', () => {
  const appoint: UserCommand = { ...commandBase, type: 'AppointModerator' };
  const dismiss: UserCommand = { ...commandBase, type: 'DismissModerator' };
  const appointed: UserEvent = { type: 'ModeratorAppointed', eventId, occurredAt: at, data: { userId } };
  const dismissed: UserEvent = { type: 'ModeratorDismissed', eventId, occurredAt: at, data: { userId } };

  it('only registered users can be appointed as moderators', () => {
    given(createRegistered()).when(appoint).then({ type: 'ModeratorAppointed', data: { userId } });
    given(createAnonymousStarted()).when(appoint).thenThrows('forbidden');
    given().when(appoint).thenThrows('not_found');
  });

  it('appointing a moderator and dismissing a user who is not one have no effect', () => {
    given(createRegistered(), appointed).when(appoint).thenNothing();
    given(createRegistered(), appointed).when(dismiss).then({ type: 'ModeratorDismissed' });
    given(createRegistered()).when(dismiss).thenNothing();
    given(createRegistered(), appointed, dismissed).when(appoint).then({ type: 'ModeratorAppointed' });
  });
});
