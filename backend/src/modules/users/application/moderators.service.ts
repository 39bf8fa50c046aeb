import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { UserCommand } from '../domain/user.commands';
import { userDecider } from '../domain/user.decider';
import { buildUserStreamId } from '../domain/user.events';
import { UserRepository } from '../infrastructure/user.repository';

export interface Moderator {
  userId: number;
  email: string | null;
}

/** Lists, appoints and dismisses moderators. Only the operators' program `main.moderators` appoints and dismisses. */
@Injectable()
export class ModeratorsService {
  constructor(
    private readonly users: UserRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /** The moderators, ordered by id. */
  async list(): Promise<Moderator[]> {
    return (await this.users.findModerators()).map(({ id, email }) => ({ userId: id, email }));
  }

  /**
   * Makes the registered user with this e-mail address a moderator, effective from their next request. Idempotent.
   * @returns the user's id, and whether this call changed their role; null when no user has the address.
   */
  appoint(email: string): Promise<{ userId: number; hasChanged: boolean } | null> {
    return this.execute(email, 'AppointModerator');
  }

  /** Reverses `appoint`, with the same parameter and result. */
  dismiss(email: string): Promise<{ userId: number; hasChanged: boolean } | null> {
    return this.execute(email, 'DismissModerator');
  }

  private async execute(email: string, type: 'AppointModerator' | 'DismissModerator') {
    const user = await this.users.findByEmail(email);
    if (!user) return null;
    const command: UserCommand = { type, userId: user.id, eventId: randomUUID(), at: new Date() };
    const { events } = await this.executor.execute(buildUserStreamId(user.id), userDecider, command);
    return { userId: user.id, hasChanged: events.length > 0 };
  }
}
