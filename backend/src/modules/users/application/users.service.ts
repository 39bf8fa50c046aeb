import { randomInt, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Gender } from '@thaw/contract/scalars';
import type { Profile, PublicUser, SelfUser } from '@thaw/contract/users';
import type { EntityManager } from 'typeorm';
import { violatedUniqueConstraint } from '../../../platform/database/constraint-violation.errors';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { generateHandle } from '../domain/handle.factory';
import type { UserCommand } from '../domain/user.commands';
import { userDecider } from '../domain/user.decider';
import { userStream } from '../domain/user.events';
import type { UserState } from '../domain/user.state';
import { acceptableUsername } from '../domain/username.rules';
import { UserRepository } from '../infrastructure/user.repository';
import type { UserEntity } from '../infrastructure/user.entity';
import { USER_RELATIONS, type UserRelationsPort } from './user-relations.port';

/** A command without the fields that the service adds to every command. */
type UserInput<Command extends UserCommand = UserCommand> = Command extends UserCommand
  ? Omit<Command, 'userId' | 'eventId' | 'at'>
  : never;

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
  async profile(userId: number): Promise<Profile | null> {
    const user = await this.users.find(userId);
    return user && toProfile(user);
  }

  /** Profiles of the users that exist, in no particular order. */
  async profiles(userIds: readonly number[]): Promise<Profile[]> {
    return (await this.users.findMany(userIds)).map(toProfile);
  }

  /** Reads the database, not a cache. Null while not chosen, or when there is no such user. */
  async gender(userId: number): Promise<Gender | null> {
    return (await this.users.find(userId))?.gender ?? null;
  }

  /** @throws DomainError not_found */
  async self(userId: number): Promise<SelfUser> {
    return toSelf(await this.require(userId));
  }

  async findSelf(userId: number): Promise<SelfUser | null> {
    const user = await this.users.find(userId);
    return user && toSelf(user);
  }

  /** The id of the account with this address, ignoring case. */
  async idByEmail(email: string): Promise<number | null> {
    return (await this.users.findByEmail(email))?.id ?? null;
  }

  /**
   * The user as the viewer may see them.
   * @throws DomainError not_found when there is no such user, or the viewer may not know of them (A12).
   */
  async seenBy(viewerId: number, userId: number): Promise<SelfUser | PublicUser> {
    if (viewerId === userId) return this.self(userId);
    if (!(await this.relations.mayReadProfile(viewerId, userId))) throw new DomainError('not_found');
    const user = await this.require(userId);
    return { ...toProfile(user), isOnline: await this.relations.isSeenOnline(viewerId, userId) };
  }

  /** @throws DomainError email_taken */
  async register(email: string, manager: EntityManager): Promise<number> {
    const userId = await this.users.nextId();
    await this.claimEmail(userId, email, manager);
    await this.execute(userId, { type: 'RegisterUser', email, username: generateHandle(randomInt) }, manager);
    return userId;
  }

  async startAnonymous(): Promise<number> {
    const userId = await this.users.nextId();
    await this.execute(userId, { type: 'StartAnonymousUser', username: generateHandle(randomInt) });
    return userId;
  }

  /** @throws DomainError not_anonymous, email_taken */
  async convert(userId: number, email: string, manager: EntityManager): Promise<void> {
    await this.claimEmail(userId, email, manager);
    await this.execute(userId, { type: 'ConvertAccount', email }, manager);
  }

  /** @throws DomainError email_taken */
  async changeEmail(userId: number, email: string, manager: EntityManager): Promise<void> {
    await this.claimEmail(userId, email, manager);
    await this.execute(userId, { type: 'ChangeEmail', email }, manager);
  }

  /** @throws DomainError gender_already_set (A34) */
  async chooseGender(userId: number, gender: Gender): Promise<SelfUser> {
    return this.executeForSelf(userId, { type: 'ChooseGender', gender });
  }

  /** @throws DomainError validation_failed, rate_limited after ten changes of name in an hour (A08) */
  async changeProfile(userId: number, username: string, avatar: string | null): Promise<SelfUser> {
    const current = await this.require(userId);
    const accepted = acceptableUsername(username);
    if (accepted === null) throw new DomainError('validation_failed');
    if (accepted !== current.username) await this.limiter.require('name_changes', userId);
    await this.executor.inTransaction(async (manager) => {
      const changing = { userId, avatar, previousAvatar: current.avatar, manager };
      await this.processEvents.runInTransaction('ProfileChanging', changing);
      await this.execute(userId, { type: 'ChangeProfile', username: accepted, avatar }, manager);
    });
    if (accepted !== current.username || avatar !== current.avatar)
      await this.processEvents.deliver('ProfileChanged', { id: userId, username: accepted, avatar });
    return this.self(userId);
  }

  private async require(userId: number): Promise<UserEntity> {
    const user = await this.users.find(userId);
    if (!user) throw new DomainError('not_found');
    return user;
  }

  private async claimEmail(userId: number, email: string, manager: EntityManager): Promise<void> {
    if (!(await this.users.claimEmail(email, userId, manager))) throw new DomainError('email_taken');
  }

  private async executeForSelf(userId: number, input: UserInput): Promise<SelfUser> {
    await this.execute(userId, input);
    return this.self(userId);
  }

  private async execute(userId: number, input: UserInput, manager?: EntityManager): Promise<UserState> {
    const command = { ...input, userId, eventId: randomUUID(), at: new Date() } as UserCommand;
    try {
      return (await this.executor.execute(userStream(userId), userDecider, command, manager)).state;
    } catch (error) {
      // Replicas of an earlier release do not claim addresses, so the unique index can still be violated.
      if (violatedUniqueConstraint(error) === 'users_email_key') throw new DomainError('email_taken');
      throw error;
    }
  }
}

const toProfile = ({ id, username, avatar }: UserEntity): Profile => ({ id, username, avatar });

const toSelf = (user: UserEntity): SelfUser => ({
  id: user.id,
  username: user.username,
  avatar: user.avatar,
  email: user.email,
  gender: user.gender,
  isAnonymous: user.isAnonymous,
  isOnline: true,
  createdAt: user.createdAt.toISOString(),
});
