import { ModeratorsService } from '../../modules/users/application/moderators.service';
import { UploadsService } from '../../modules/uploads/application/uploads.service';
import { warn } from '../conduct.fixture';
import { createPlainJpeg } from '../image-corpus.fixture';
import { makeFriends, recordPastChat } from '../relationship.fixture';
import { imposeSanction } from '../standings.fixture';
import type { TestStack } from '../test-stack.harness';
import { matchNewVisitors, ThawVisitor } from '../thaw.client';
import { type Actor, type IdKind, type Ids, STRANGER_EMAIL } from './authorization-case.fixture';
import { createModeratedUser, EVIDENCE_IMAGE_ID } from './moderated-user.fixture';

/** The users who try every route and frame, and the ids that they use. */
export interface AuthorizationActors {
  users: Record<Actor, ThawVisitor>;
  /** The ids that `actor` uses in an attempt: their own ids, ids of another user, missing ids or malformed ids. */
  chooseIds(actor: Actor, kind: IdKind): Promise<Ids>;
}

/**
 * Creates a user for each actor. `self` is in a chat with `partner`, has blocked `blocked` and has sent a private
 * message to `friend`. Each actor has an image, a received friend request and a warning of their own. Each moderator
 * has claimed the case of a user.
 */
export const createActors = async (stack: TestStack): Promise<AuthorizationActors> => {
  const replica = stack.replicas[0]!;
  const { origin } = replica;
  const chatOfSelf = await matchNewVisitors([origin, origin]);
  const chatOfOthers = await matchNewVisitors([origin, origin]);
  // Has no relation to any actor. The other user in attempts that vary only the caller's user id.
  const friendlessUser = await stack.createVisitor(0, 'male');
  const users: Record<Actor, ThawVisitor> = {
    self: chatOfSelf.ada,
    partner: chatOfSelf.bob,
    friend: await stack.createVisitor(0, 'male'),
    anonymous: await stack.createVisitor(0, 'female'),
    // Attempts use the email address of `stranger` as one that is taken.
    stranger: await new ThawVisitor([origin]).register(STRANGER_EMAIL, 'secret', 'male'),
    blocked: await stack.createVisitor(0, 'male'),
    suspended: await stack.createVisitor(0, 'male'),
    moderator: await new ThawVisitor([origin]).register('moderator@example.org', 'secret'),
    otherModerator: await new ThawVisitor([origin]).register('other@example.org', 'secret'),
  };
  for (const { user } of [users.moderator, users.otherModerator])
    await replica.app.get(ModeratorsService).appoint(String(user.email));

  await makeFriends(replica, users.self, users.friend);
  const { id: messageOfSelf } = await chatOfSelf.adaSocket.request('send_private_message', {
    senderId: users.self.user.id,
    receiverId: users.friend.user.id,
    content: 'hello',
    messageType: 'text',
  });

  // `requester` sends a friend request to every actor, and reports the users whose cases the moderators claim.
  const requester = await stack.createVisitor(0);
  const requestIds = new Map<ThawVisitor, unknown>();
  const imageUrls = new Map<ThawVisitor, string>();
  const noticeIds = new Map<ThawVisitor, number>();
  for (const user of Object.values(users)) {
    const noticeId = await warn(replica, user.user.id);
    noticeIds.set(user, noticeId);
    await recordPastChat(replica, requester, user);
    const request = { requesterId: requester.user.id, addresseeId: user.user.id };
    requestIds.set(user, (await requester.call('POST', '/api/friends/request', request)).body.id);
    imageUrls.set(
      user,
      await replica.app.get(UploadsService).receive({
        ownerId: user.user.id,
        bucket: 'chat-images',
        fileName: 'x',
        bytes: await createPlainJpeg(),
      }),
    );
  }

  await recordPastChat(replica, users.self, users.blocked);
  const block = { blockerId: users.self.user.id, blockedId: users.blocked.user.id };
  await users.self.call('POST', '/api/blocks', block);
  await imposeSanction(replica, users.suspended.user.id);

  /** The users whose cases the moderators have claimed (are working on), by moderator. */
  const moderatedUsers = {
    moderator: await createModeratedUser(stack, users.moderator, requester),
    otherModerator: await createModeratedUser(stack, users.otherModerator, requester),
  };
  const queryFirstRow = async <Row>(sql: string, values: unknown[] = []): Promise<Row | undefined> =>
    (await stack.database.dataSource.query<Row[]>(sql, values))[0];

  type ModerationIds = Pick<
    Ids,
    'case' | 'sanction' | 'appeal' | 'person' | 'evidenceImage' | 'blockedImage' | 'version'
  >;
  const chooseModerationIds = async (actor: Actor, kind: IdKind): Promise<ModerationIds> => {
    if (kind === 'missing' || kind === 'malformed') {
      const id = kind === 'missing' ? Number.MAX_SAFE_INTEGER : '0x1';
      const ids = { case: id, sanction: id, appeal: id, person: id, evidenceImage: id, blockedImage: id };
      return { ...ids, version: 0 };
    }
    const { moderator, otherModerator } = moderatedUsers;
    // Callers who are not moderators get the same cases as `moderator`.
    const [ownModerated, otherModerated] =
      actor === 'otherModerator' ? [otherModerator, moderator] : [moderator, otherModerator];
    const moderatedUser = kind === 'own' ? ownModerated : otherModerated;
    const caseRow = await queryFirstRow<{ version: string }>(
      'SELECT version FROM conduct_cases WHERE id = $1',
      [moderatedUser.caseId],
    );
    const blockedImageRow = await queryFirstRow<{ id: string }>('SELECT id FROM blocked_images');
    return {
      case: moderatedUser.caseId,
      sanction: moderatedUser.sanctionId,
      appeal: moderatedUser.appealId,
      // With the kind `other`, the person is the caller, because moderators must not act on themselves.
      person: kind === 'own' ? moderatedUser.userId : users[actor].user.id,
      evidenceImage: EVIDENCE_IMAGE_ID,
      blockedImage: blockedImageRow?.id ?? Number.MAX_SAFE_INTEGER, // the attempts have blocked no image yet
      version: Number(caseRow?.version),
    };
  };

  const chooseIds = async (actor: Actor, kind: IdKind): Promise<Ids> => {
    const caller = users[actor];
    const otherUser = actor === 'self' ? users.stranger : users.self;
    const commonIds = {
      callerId: caller.user.id,
      friendlessId: friendlessUser.user.id,
      otherUserId: otherUser.user.id,
      ...(await chooseModerationIds(actor, kind)),
    };
    const isInChatOfSelf = actor === 'self' || actor === 'partner';
    switch (kind) {
      case 'own':
      case 'other': {
        const owner = kind === 'own' ? caller : otherUser;
        // A user in neither chat has no session of their own, and gets that of `chatOfOthers` instead.
        const [ownChat, otherChat] = isInChatOfSelf ? [chatOfSelf, chatOfOthers] : [chatOfOthers, chatOfSelf];
        return {
          ...commonIds,
          user: owner.user.id,
          session: (kind === 'own' ? ownChat : otherChat).sessionId,
          // The message of `self`, whatever the kind. No attempt uses it with the kind `own`.
          message: messageOfSelf,
          request: requestIds.get(owner),
          image: imageUrls.get(owner),
          notice: noticeIds.get(owner),
        };
      }
      case 'missing':
        return {
          ...commonIds,
          user: Number.MAX_SAFE_INTEGER,
          session: 'nothing',
          message: Number.MAX_SAFE_INTEGER,
          request: Number.MAX_SAFE_INTEGER,
          image: '/api/files/chat-images/01234567-89ab-cdef-0123-456789abcdef.webp',
          notice: Number.MAX_SAFE_INTEGER,
        };
      case 'malformed':
        // Ids of the wrong type, and strings that a lenient parser would accept as numbers.
        return {
          ...commonIds,
          user: '0x1',
          session: 7,
          message: '1',
          request: '-1',
          image: '/api/files/chat-images/..%2f..%2fetc', // tries to leave the folder
          notice: '1e3',
        };
    }
  };
  return { users, chooseIds };
};
