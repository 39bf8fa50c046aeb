import { limits } from '@thaw/contract/limits';
import { createGiven } from '../../../testing/given.fixture';
import type { UserCommand } from './user.commands';
import { userDecider } from './user.decider';
import type { UserEvent } from './user.events';

const given = createGiven(userDecider);
const userId = 7;
const at = new Date('2026-11-20T12:00:00Z');
const eventId = '11111111-1111-4111-8111-111111111111';

const eventBase = { eventId, occurredAt: at };
const userRegistered: UserEvent = {
  ...eventBase,
  type: 'UserRegistered',
  data: { userId, username: 'quiet-otter-1000', email: 'ada@example.org' },
};
const anonymousUserStarted: UserEvent = {
  ...eventBase,
  type: 'AnonymousUserStarted',
  data: { userId, username: 'quiet-otter-1000' },
};
const femaleGenderChosen: UserEvent = {
  ...eventBase,
  type: 'GenderChosen',
  data: { userId, gender: 'female' },
};
const moderatorAppointed: UserEvent = { ...eventBase, type: 'ModeratorAppointed', data: { userId } };
const moderatorDismissed: UserEvent = { ...eventBase, type: 'ModeratorDismissed', data: { userId } };

const commandBase = { userId, eventId, at };
const chooseMaleGender: UserCommand = { ...commandBase, type: 'ChooseGender', gender: 'male' };
const convertAccount: UserCommand = { ...commandBase, type: 'ConvertAccount', email: 'ada@example.org' };
const changeEmail: UserCommand = { ...commandBase, type: 'ChangeEmail', email: 'new@example.org' };
const appointModerator: UserCommand = { ...commandBase, type: 'AppointModerator' };
const dismissModerator: UserCommand = { ...commandBase, type: 'DismissModerator' };
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
      .then({
        type: 'UserRegistered',
        eventId,
        occurredAt: at,
        data: { userId, username: 'bold-fox-1', email: 'bo@example.org' },
      });
  });

  it('starts an anonymous user', () => {
    given()
      .when({ ...commandBase, type: 'StartAnonymousUser', username: 'bold-fox-1' })
      .then({ type: 'AnonymousUserStarted', data: { userId, username: 'bold-fox-1' } });
  });

  it('rejects commands that change a user who does not exist', () => {
    for (const command of [chooseMaleGender, convertAccount, changeEmail, changeProfile('Ada')]) {
      given().when(command).thenThrows('not_found');
    }
  });

  it('refuses to create a second user with the same id', () => {
    const secondStart: UserCommand = { ...commandBase, type: 'StartAnonymousUser', username: 'bold-fox-1' };
    // Not `thenThrows`, which expects a DomainError: a taken id is a bug.
    expect(() => given(anonymousUserStarted).when(secondStart).decide()).toThrow('The user id is taken');
  });

  it('sets the gender once', () => {
    given(anonymousUserStarted)
      .when(chooseMaleGender)
      .then({ type: 'GenderChosen', data: { userId, gender: 'male' } });
    given(anonymousUserStarted, femaleGenderChosen).when(chooseMaleGender).thenThrows('gender_already_set');
  });

  it('converts an anonymous account to a registered one, once', () => {
    given(anonymousUserStarted)
      .when(convertAccount)
      .then({ type: 'AccountConverted', data: { email: 'ada@example.org' } });
    given(userRegistered).when(convertAccount).thenThrows('not_anonymous');
  });

  it('changes the e-mail address of registered accounts only', () => {
    given(userRegistered)
      .when(changeEmail)
      .then({ type: 'EmailChanged', data: { email: 'new@example.org' } });
    given(anonymousUserStarted).when(changeEmail).thenThrows('forbidden');
  });

  it('changes name and avatar, and trims the name', () => {
    given(userRegistered)
      .when(changeProfile('  Ada  ', '/api/files/avatars/a.webp'))
      .then({ type: 'ProfileChanged', data: { username: 'Ada', avatar: '/api/files/avatars/a.webp' } });
  });

  it('appends no event when the e-mail address or the profile stays the same', () => {
    given(userRegistered)
      .when({ ...changeEmail, email: 'ada@example.org' })
      .thenNothing();
    given(userRegistered).when(changeProfile('quiet-otter-1000')).thenNothing();
  });

  it('rejects names that are empty, too long or reserved', () => {
    for (const name of ['', '   ', 'x'.repeat(limits.usernameMaxCodePoints + 1), 'Admin']) {
      given(userRegistered).when(changeProfile(name)).thenThrows('validation_failed');
    }
  });
});

describe('userDecider for moderators', () => {
  it('appoints registered users only', () => {
    given(userRegistered).when(appointModerator).then({ type: 'ModeratorAppointed', data: { userId } });
    given(anonymousUserStarted).when(appointModerator).thenThrows('forbidden');
    given().when(appointModerator).thenThrows('not_found');
  });

  it('dismisses a moderator, who can be appointed again', () => {
    given(userRegistered, moderatorAppointed).when(dismissModerator).then({ type: 'ModeratorDismissed' });
    given(userRegistered, moderatorAppointed, moderatorDismissed)
      .when(appointModerator)
      .then({ type: 'ModeratorAppointed' });
  });

  it('appends no event when a moderator is appointed again, or when a user who is no moderator is dismissed', () => {
    given(userRegistered, moderatorAppointed).when(appointModerator).thenNothing();
    given(userRegistered).when(dismissModerator).thenNothing();
  });
});
