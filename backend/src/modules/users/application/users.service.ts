import { randomInt, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Gender } from '@thaw/contract/scalars';
import type { Standing } from '@thaw/contract/safety';
import type { Profile, PublicUser, SelfUser } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import { findViolatedUniqueConstraint } from '../../../platform/database/constraint-violation.errors';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { generateUsername } from '../domain/username.factory';
import type { UserCommand } from '../domain/user.commands';
import { userDecider } from '../domain/user.decider';
import { buildUserStreamId } from '../domain/user.events';
import { parseUsername } from '../domain/username.rules';
import { UserRepository, type UserWithStanding } from '../infrastructure/user.repository';
import type { UserEntity } from '../infrastructure/user.entity';
import { USER_RELATIONS, type UserRelationsPort } from './user-relations.port';

/**
 * A command without the fields that the service adds. The conditional type applies `Omit` to each command separately;
 * `Omit` of the union would keep only the fields that all commands share.
 */
type UserCommandInput<Command extends UserCommand = UserCommand> = Command extends UserCommand
  ? Omit<Command, 'userId' | 'eventId' | 'at'>
  : never;

/**
 * The fields of a user that matching needs. `gender`: null until the user has chosen one. `standing`: what moderation
 * allows the user.
 */
export interface Searcher {
  gender: Gender | null;
  standing: Standing;
}

export interface ProfileWithStanding {
  profile: Profile;
  standing: Standing;
}

/** Reads users, with the fields that each kind of reader may see, and executes the commands that change users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UserRepository,
    private readonly executor: CommandExecutorService,
    @Inject(USER_RELATIONS) private readonly relations: UserRelationsPort,
    private readonly processEvents: ProcessEventsService,
    private readonly limiter: RateLimiterService,
  ) {}

  /** The profile that other users may see; null when there is no such user. */
  async findProfile(userId: number): Promise<Profile | null> {
    const user = await this.users.find(userId);
    return user && toProfile(user);
  }

  /** The profiles of the given users who exist, in no particular order. */
  async findProfiles(userIds: readonly number[]): Promise<Profile[]> {
    return (await this.users.findMany(userIds)).map(toProfile);
  }

  /** Whether all given users exist. Those who do are locked, so that none is erased before the transaction ends. */
  lockAndCheckExistence(userIds: readonly number[], manager: EntityManager): Promise<boolean> {
    return this.users.lockAndCheckExistence(userIds, manager);
  }

  /** The profiles and standings of the given users who exist, from one query and in no particular order. */
  async findProfilesWithStanding(userIds: readonly number[]): Promise<ProfileWithStanding[]> {
    const found = await this.users.findManyWithStanding(userIds);
    return found.map(({ user, standing }) => ({ profile: toProfile(user), standing }));
  }

  /** The fields of a user that matching needs, in one query; null when there is no such user. */
  async findSearcher(userId: number): Promise<Searcher | null> {
    const found = await this.users.findWithStanding(userId);
    return found && { gender: found.user.gender, standing: found.standing };
  }

  /**
   * The user's own profile, including its private fields.
   * @throws DomainError not_found
   */
  async getSelf(userId: number): Promise<SelfUser> {
    const found = await this.users.findWithStanding(userId);
    if (!found) throw new DomainError('not_found');
    return toSelf(found);
  }

  /** Like `getSelf`, but null when there is no such user. */
  async findSelf(userId: number): Promise<SelfUser | null> {
    const found = await this.users.findWithStanding(userId);
    return found && toSelf(found);
  }

  /** The id of the account with this e-mail address, ignoring case; null when there is none. */
  async findIdByEmail(email: string): Promise<number | null> {
    return (await this.users.findByEmail(email))?.id ?? null;
  }

  /**
   * The user as the viewer may see them. Moderators may see every user; a read that only their role permits is recorded
   * in the audit log first.
   * @throws DomainError not_found when there is no such user, or the viewer may not read their profile.
   */
  async getVisibleUser(viewerId: number, userId: number): Promise<SelfUser | PublicUser> {
    if (viewerId === userId) return this.getSelf(userId);
    const mayRead = await this.relations.mayReadProfile(viewerId, userId);
    const readsAsModerator = !mayRead && (await this.isModerator(viewerId));
    if (!mayRead && !readsAsModerator) throw new DomainError('not_found');
    const profile = await this.users.findPublicProfile(userId);
    if (!profile) throw new DomainError('not_found');
    if (readsAsModerator)
      await this.processEvents.deliver('ProfileReadByModerator', { moderatorId: viewerId, userId });
    return { ...profile, isOnline: await this.relations.isSeenOnline(viewerId, userId) };
  }

  /**
   * Creates a registered user.
   * @returns the id of the user.
   * @throws DomainError email_taken
   */
  async register(email: string, manager: EntityManager): Promise<number> {
    const userId = await this.users.allocateId(manager);
    await this.claimEmail(userId, email, manager);
    await this.create(
      userId,
      { type: 'RegisterUser', email, username: generateUsername(randomInt) },
      manager,
    );
    return userId;
  }

  /** Creates an anonymous user. @returns the id of the user. */
  async startAnonymousUser(manager: EntityManager): Promise<number> {
    const userId = await this.users.allocateId(manager);
    await this.create(userId, { type: 'StartAnonymousUser', username: generateUsername(randomInt) }, manager);
    return userId;
  }

  /**
   * Turns an anonymous user into a registered one.
   * @throws DomainError not_found, not_anonymous, email_taken
   */
  async convertAnonymousUser(userId: number, email: string, manager: EntityManager): Promise<void> {
    await this.claimEmail(userId, email, manager);
    await this.execute(userId, { type: 'ConvertAccount', email }, manager);
  }

  /** @throws DomainError not_found, forbidden for an anonymous user, email_taken */
  async changeEmail(userId: number, email: string, manager: EntityManager): Promise<void> {
    await this.claimEmail(userId, email, manager);
    await this.execute(userId, { type: 'ChangeEmail', email }, manager);
  }

  /** @throws DomainError not_found; gender_already_set, because a gender can be chosen only once */
  async chooseGender(userId: number, gender: Gender): Promise<SelfUser> {
    await this.execute(userId, { type: 'ChooseGender', gender });
    return this.getSelf(userId);
  }

  /**
   * Changes the username and the avatar.
   * @throws DomainError not_found; validation_failed for an unacceptable username or avatar; rate_limited after too
   * many changes of name.
   */
  async changeProfile(userId: number, username: string, avatar: string | null): Promise<SelfUser> {
    const current = await this.requireUser(userId);
    const newUsername = parseUsername(username);
    if (newUsername === null) throw new DomainError('validation_failed');
    const isRenamed = newUsername !== current.username;
    if (isRenamed) await this.limiter.require('name_changes', userId);
    await this.executor.runInTransaction(async (manager) => {
      const change = { userId, avatar, previousAvatar: current.avatar, manager };
      // A handler of this event may refuse the avatar, which rolls back the transaction.
      await this.processEvents.runInTransaction('ProfileChanging', change);
      await this.execute(userId, { type: 'ChangeProfile', username: newUsername, avatar }, manager);
    });
    if (isRenamed || avatar !== current.avatar)
      await this.processEvents.deliver('ProfileChanged', { id: userId, username: newUsername, avatar });
    return this.getSelf(userId);
  }

  private async isModerator(userId: number): Promise<boolean> {
    const user = await this.users.find(userId);
    return user !== null && user.isModerator;
  }

  private async requireUser(userId: number): Promise<UserEntity> {
    const user = await this.users.find(userId);
    if (!user) throw new DomainError('not_found');
    return user;
  }

  /**
   * Reserves the address for the user until the end of the transaction.
   * @throws DomainError email_taken
   */
  private async claimEmail(userId: number, email: string, manager: EntityManager): Promise<void> {
    if (!(await this.users.claimEmail(email, userId, manager))) throw new DomainError('email_taken');
  }

  /** Executes the first command of a user, whose id was just allocated. @throws DomainError email_taken */
  private create(userId: number, input: UserCommandInput, manager: EntityManager): Promise<void> {
    return this.translateEmailConflict(
      this.executor.executeFirst(buildUserStreamId(userId), userDecider, toCommand(userId, input), manager),
    );
  }

  private execute(userId: number, input: UserCommandInput, manager?: EntityManager): Promise<void> {
    return this.translateEmailConflict(
      this.executor.execute(buildUserStreamId(userId), userDecider, toCommand(userId, input), manager),
    );
  }

  /** @throws DomainError email_taken; errors of the execution. */
  private async translateEmailConflict(execution: Promise<unknown>): Promise<void> {
    try {
      await execution;
    } catch (error) {
      // The address was taken despite `claimEmail`: replicas of an earlier release do not claim addresses.
      if (findViolatedUniqueConstraint(error) === 'users_email_key') throw new DomainError('email_taken');
      throw error;
    }
  }
}

const toCommand = (userId: number, input: UserCommandInput): UserCommand => ({
  ...input,
  userId,
  eventId: randomUUID(),
  at: new Date(),
});

const toProfile = ({ id, username, avatar }: UserEntity): Profile => ({ id, username, avatar });

const toSelf = ({ user, standing }: UserWithStanding): SelfUser => ({
  id: user.id,
  username: user.username,
  avatar: user.avatar,
  email: user.email,
  gender: user.gender,
  isAnonymous: user.isAnonymous,
  isOnline: true, // users see themselves as online
  createdAt: user.createdAt.toISOString(),
  isModerator: user.isModerator,
  standing,
});
