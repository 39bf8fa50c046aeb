import { givenFor } from '../../../testing/given.fixture';
import type { UserCommand } from './user.commands';
import { userDecider } from './user.decider';
import type { UserEvent } from './user.events';

const given = givenFor(userDecider);
const userId = 7;
const at = new Date('2026-11-20T12:00:00Z');
const eventId = '11111111-1111-4111-8111-111111111111';

const registered = (): UserEvent => ({
  type: 'UserRegistered',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000', email: 'ada@example.org' },
});
const anonymous = (): UserEvent => ({
  type: 'AnonymousUserStarted',
  eventId,
  occurredAt: at,
  data: { userId, username: 'quiet-otter-1000' },
});
const genderChosen = (): UserEvent => ({
  type: 'GenderChosen',
  eventId,
  occurredAt: at,
  data: { userId, gender: 'female' },
});

const base = { userId, eventId, at };
const chooseGender: UserCommand = { ...base, type: 'ChooseGender', gender: 'male' };
const convert: UserCommand = { ...base, type: 'ConvertAccount', email: 'ada@example.org' };
const changeEmail: UserCommand = { ...base, type: 'ChangeEmail', email: 'new@example.org' };
const rename = (username: string, avatar: string | null = null): UserCommand => ({
  ...base,
  type: 'ChangeProfile',
  username,
  avatar,
});

describe('userDecider', () => {
  it('registers a user', () => {
    given()
      .when({ ...base, type: 'RegisterUser', username: 'bold-fox-1', email: 'bo@example.org' })
      .then({ type: 'UserRegistered', eventId, occurredAt: at, data: { userId, email: 'bo@example.org' } });
  });

  it('starts an anonymous user', () => {
    given()
      .when({ ...base, type: 'StartAnonymousUser', username: 'bold-fox-1' })
      .then({ type: 'AnonymousUserStarted', data: { userId, username: 'bold-fox-1' } });
  });

  it('rejects every other command for a missing user', () => {
    for (const command of [chooseGender, convert, changeEmail, rename('Ada')]) {
      given().when(command).thenThrows('not_found');
    }
  });

  it('never creates two users with one id', () => {
    const again: UserCommand = { ...base, type: 'StartAnonymousUser', username: 'bold-fox-1' };
    expect(() => given(anonymous()).when(again).decision()).toThrow('taken');
  });

  it('sets the gender once (A34)', () => {
    given(anonymous())
      .when(chooseGender)
      .then({ type: 'GenderChosen', data: { userId, gender: 'male' } });
    given(anonymous(), genderChosen()).when(chooseGender).thenThrows('gender_already_set');
  });

  it('converts an anonymous account to a registered one, once (A16)', () => {
    given(anonymous())
      .when(convert)
      .then({ type: 'AccountConverted', data: { email: 'ada@example.org' } });
    given(registered()).when(convert).thenThrows('not_anonymous');
  });

  it('changes the e-mail of registered accounts only', () => {
    given(registered())
      .when(changeEmail)
      .then({ type: 'EmailChanged', data: { email: 'new@example.org' } });
    given(anonymous()).when(changeEmail).thenThrows('forbidden');
    given(registered())
      .when({ ...changeEmail, email: 'ada@example.org' })
      .thenNothing();
  });

  it('changes name and avatar', () => {
    given(registered())
      .when(rename('  Ada  ', '/api/files/avatars/a.webp'))
      .then({ type: 'ProfileChanged', data: { username: 'Ada', avatar: '/api/files/avatars/a.webp' } });
    given(registered()).when(rename('quiet-otter-1000')).thenNothing();
  });

  it('rejects unacceptable names (A08)', () => {
    for (const name of ['', '   ', 'x'.repeat(31), 'Admin']) {
      given(registered()).when(rename(name)).thenThrows('validation_failed');
    }
  });
});
