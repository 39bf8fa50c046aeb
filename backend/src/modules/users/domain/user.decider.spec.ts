import { createGiven } from '../../../testing/given.fixture';
import type { UserCommand } from './user.commands';
import { userDecider } from './user.decider';
import type { UserEvent } from './user.events';

const given = createGiven(userDecider);
const userId = 7;
const at = new Date('2026-11-20T12:00:00Z');
const eventId = '11111111-1111-4111-8111-111111111111';

const registered = (): UserEvent => ({
  type: 'UserRegistered',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000', email: 'ada@example.org' },
});
const anonymousStarted = (): UserEvent => ({
  type: 'AnonymousUserStarted',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000' },
});
const femaleChosen = (): UserEvent => ({
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

  it('rejects every other command for a missing user', () => {
    for (const command of [chooseMale, convert, changeEmail, changeProfile('Ada')]) {
      given().when(command).thenThrows('not_found');
    }
  });

  it('refuses to create a second user with an id', () => {
    const secondStart: UserCommand = { ...commandBase, type: 'StartAnonymousUser', username: 'bold-fox-1' };
    expect(() => given(anonymousStarted()).when(secondStart).decide()).toThrow('taken');
  });

  it('sets the gender once (A34)', () => {
    given(anonymousStarted())
      .when(chooseMale)
      .then({ type: 'GenderChosen', data: { userId, gender: 'male' } });
    given(anonymousStarted(), femaleChosen()).when(chooseMale).thenThrows('gender_already_set');
  });

  it('converts an anonymous account to a registered one, once (A16)', () => {
    given(anonymousStarted())
      .when(convert)
      .then({ type: 'AccountConverted', data: { email: 'ada@example.org' } });
    given(registered()).when(convert).thenThrows('not_anonymous');
  });

  it('changes the e-mail of registered accounts only', () => {
    given(registered())
      .when(changeEmail)
      .then({ type: 'EmailChanged', data: { email: 'new@example.org' } });
    given(anonymousStarted()).when(changeEmail).thenThrows('forbidden');
    given(registered())
      .when({ ...changeEmail, email: 'ada@example.org' })
      .thenNothing();
  });

  it('changes name and avatar', () => {
    given(registered())
      .when(changeProfile('  Ada  ', '/api/files/avatars/a.webp'))
      .then({ type: 'ProfileChanged', data: { username: 'Ada', avatar: '/api/files/avatars/a.webp' } });
    given(registered()).when(changeProfile('quiet-otter-1000')).thenNothing();
  });

  it('rejects unacceptable names (A08)', () => {
    for (const name of ['', '   ', 'x'.repeat(31), 'Admin']) {
      given(registered()).when(changeProfile(name)).thenThrows('validation_failed');
    }
  });
});

describe('moderators', () => {
  const appoint: UserCommand = { ...commandBase, type: 'AppointModerator' };
  const dismiss: UserCommand = { ...commandBase, type: 'DismissModerator' };
  const appointed: UserEvent = { type: 'ModeratorAppointed', eventId, occurredAt: at, data: { userId } };
  const dismissed: UserEvent = { type: 'ModeratorDismissed', eventId, occurredAt: at, data: { userId } };

  it('are registered users who were appointed', () => {
    given(registered()).when(appoint).then({ type: 'ModeratorAppointed', data: { userId } });
    given(anonymousStarted()).when(appoint).thenThrows('forbidden');
    given().when(appoint).thenThrows('not_found');
  });

  it('are appointed and dismissed once', () => {
    given(registered(), appointed).when(appoint).thenNothing();
    given(registered(), appointed).when(dismiss).then({ type: 'ModeratorDismissed' });
    given(registered()).when(dismiss).thenNothing();
    given(registered(), appointed, dismissed).when(appoint).then({ type: 'ModeratorAppointed' });
  });
});
