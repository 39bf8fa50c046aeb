import { ModeratorsService } from '../../modules/users/application/moderators.service';
import { UploadsService } from '../../modules/uploads/application/uploads.service';
import { warn } from '../conduct.fixture';
import { createPlainJpeg } from '../image-corpus.fixture';
import { makeFriends, recordPastChat } from '../relationship.fixture';
import { imposeSanction } from '../standings.fixture';
import type { TestReplica, TestStack } from '../test-stack.harness';
import { matchNewVisitors, ThawVisitor } from '../thaw.client';
import { type Actor, type IdKind, type Ids, STRANGER_EMAIL } from './authorization-case.fixture';
import { createModeratedUser, EVIDENCE_IMAGE_ID, type ModeratedUser } from './moderated-user.fixture';

/** The users who try every route and frame, and the ids that they use. */
export interface AuthorizationActors {
  users: Record<Actor, ThawVisitor>;
  /** The ids that `actor` uses in an attempt: their own ids, ids of another user, missing ids or malformed ids. */
  chooseIds(actor: Actor, kind: IdKind): Promise<Ids>;
}

type MatchedChat = Awaited<ReturnType<typeof matchNewVisitors>>;

/** The ids that have the same values for every kind. */
type CommonIds = Pick<Ids, 'callerId' | 'friendlessId' | 'otherUserId'>;
/** The ids that each actor has of their own. */
type OwnedIds = Pick<Ids, 'request' | 'image' | 'notice'>;
type ModerationIds = Pick<
  Ids,
  'case' | 'sanction' | 'appeal' | 'person' | 'evidenceImage' | 'blockedImage' | 'version'
>;

/** What `createActors` has created, and `chooseIds` chooses from. */
interface Setting {
  stack: TestStack;
  users: Record<Actor, ThawVisitor>;
  /** The chat of `self` and `partner`. */
  chatOfSelf: MatchedChat;
  /** A chat of two users who are not actors. */
  chatOfOthers: MatchedChat;
  /** Id of a private message that `self` has sent to `friend`. */
  messageOfSelf: unknown;
  /** A user who has no relation to any actor. */
  friendlessId: number;
  ownedIds: ReadonlyMap<ThawVisitor, OwnedIds>;
  /** The users whose cases the moderators have claimed (are working on), by moderator. */
  moderatedUsers: Record<'moderator' | 'otherModerator', ModeratedUser>;
}

const missingIds: Omit<Ids, keyof CommonIds> = {
  user: Number.MAX_SAFE_INTEGER,
  session: 'nothing',
  message: Number.MAX_SAFE_INTEGER,
  request: Number.MAX_SAFE_INTEGER,
  image: '/api/files/chat-images/01234567-89ab-cdef-0123-456789abcdef.webp',
  notice: Number.MAX_SAFE_INTEGER,
  case: Number.MAX_SAFE_INTEGER,
  sanction: Number.MAX_SAFE_INTEGER,
  appeal: Number.MAX_SAFE_INTEGER,
  person: Number.MAX_SAFE_INTEGER,
  evidenceImage: Number.MAX_SAFE_INTEGER,
  blockedImage: Number.MAX_SAFE_INTEGER,
  version: 0,
};

/** Ids of the wrong type, and strings that a lenient parser would accept as numbers. */
const malformedIds: Omit<Ids, keyof CommonIds> = {
  user: '0x1',
  session: 7,
  message: '1',
  request: '-1',
  image: '/api/files/chat-images/..%2f..%2fetc', // tries to leave the folder
  notice: '1e3',
  case: '0x1',
  sanction: '0x1',
  appeal: '0x1',
  person: '0x1',
  evidenceImage: '0x1',
  blockedImage: '0x1',
  version: 0,
};

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
  const friendlessUser = await stack.createVisitor(0, 'male');
  const users = await createUsers(stack, chatOfSelf);

  await makeFriends(replica, users.self, users.friend);
  const { id: messageOfSelf } = await chatOfSelf.adaSocket.request('send_private_message', {
    senderId: users.self.user.id,
    receiverId: users.friend.user.id,
    content: 'hello',
    messageType: 'text',
  });

  // `requester` sends a friend request to every actor, and reports the users whose cases the moderators claim.
  const requester = await stack.createVisitor(0);
  const ownedIds = new Map<ThawVisitor, OwnedIds>();
  for (const user of Object.values(users)) ownedIds.set(user, await createOwnedIds(replica, user, requester));

  await recordPastChat(replica, users.self, users.blocked);
  const block = { blockerId: users.self.user.id, blockedId: users.blocked.user.id };
  await users.self.call('POST', '/api/blocks', block);
  await imposeSanction(replica, users.suspended.user.id);

  const setting: Setting = {
    stack,
    users,
    chatOfSelf,
    chatOfOthers,
    messageOfSelf,
    friendlessId: friendlessUser.user.id,
    ownedIds,
    moderatedUsers: {
      moderator: await createModeratedUser(stack, users.moderator, requester),
      otherModerator: await createModeratedUser(stack, users.otherModerator, requester),
    },
  };
  return { users, chooseIds: (actor, kind) => chooseIds(setting, actor, kind) };
};

const createUsers = async (
  stack: TestStack,
  chatOfSelf: MatchedChat,
): Promise<Record<Actor, ThawVisitor>> => {
  const { app, origin } = stack.replicas[0]!;
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
    await app.get(ModeratorsService).appoint(String(user.email));
  return users;
};

/** Creates a warning, a received friend request and an image of a user. */
const createOwnedIds = async (
  replica: TestReplica,
  owner: ThawVisitor,
  requester: ThawVisitor,
): Promise<OwnedIds> => {
  const notice = await warn(replica, owner.user.id);
  await recordPastChat(replica, requester, owner);
  const friendRequest = { requesterId: requester.user.id, addresseeId: owner.user.id };
  const { body } = await requester.call('POST', '/api/friends/request', friendRequest);
  const image = await replica.app.get(UploadsService).receive({
    ownerId: owner.user.id,
    bucket: 'chat-images',
    fileName: 'x',
    bytes: await createPlainJpeg(),
  });
  return { notice, request: body.id, image };
};

const chooseIds = async (setting: Setting, actor: Actor, kind: IdKind): Promise<Ids> => {
  const { users, messageOfSelf, friendlessId, ownedIds } = setting;
  const caller = users[actor];
  const otherUser = actor === 'self' ? users.stranger : users.self;
  const commonIds: CommonIds = {
    callerId: caller.user.id,
    friendlessId,
    otherUserId: otherUser.user.id,
  };
  switch (kind) {
    case 'missing':
      return { ...commonIds, ...missingIds };
    case 'malformed':
      return { ...commonIds, ...malformedIds };
    case 'own':
    case 'other': {
      const owner = kind === 'own' ? caller : otherUser;
      return {
        ...commonIds,
        user: owner.user.id,
        session: chooseChat(setting, actor, kind).sessionId,
        // The message of `self`, whatever the kind. No attempt uses it with the kind `own`.
        message: messageOfSelf,
        ...ownedIds.get(owner)!,
        ...(await chooseModerationIds(setting, actor, kind)),
      };
    }
  }
};

/** An actor in neither chat has no chat of their own, and gets `chatOfOthers` instead. */
const chooseChat = (
  { chatOfSelf, chatOfOthers }: Setting,
  actor: Actor,
  kind: 'own' | 'other',
): MatchedChat => {
  const isInChatOfSelf = actor === 'self' || actor === 'partner';
  const [ownChat, otherChat] = isInChatOfSelf ? [chatOfSelf, chatOfOthers] : [chatOfOthers, chatOfSelf];
  return kind === 'own' ? ownChat : otherChat;
};

const chooseModerationIds = async (
  { stack, users, moderatedUsers }: Setting,
  actor: Actor,
  kind: 'own' | 'other',
): Promise<ModerationIds> => {
  const { moderator, otherModerator } = moderatedUsers;
  // Callers who are not moderators get the same cases as `moderator`.
  const [ownModerated, otherModerated] =
    actor === 'otherModerator' ? [otherModerator, moderator] : [moderator, otherModerator];
  const { userId, caseId, sanctionId, appealId } = kind === 'own' ? ownModerated : otherModerated;
  const { dataSource } = stack.database;
  const [caseRow] = await dataSource.query<{ version: string }[]>(
    'SELECT version FROM conduct_cases WHERE id = $1',
    [caseId],
  );
  const [blockedImageRow] = await dataSource.query<{ id: string }[]>('SELECT id FROM blocked_images');
  return {
    case: caseId,
    sanction: sanctionId,
    appeal: appealId,
    person: kind === 'own' ? userId : users[actor].user.id, // see `Ids`
    evidenceImage: EVIDENCE_IMAGE_ID,
    blockedImage: blockedImageRow?.id ?? Number.MAX_SAFE_INTEGER, // the attempts have blocked no image yet
    version: Number(caseRow?.version),
  };
};
