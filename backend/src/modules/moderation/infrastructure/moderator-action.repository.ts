import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { ModeratorActionEntity } from './moderator-action.entity';

/** Queries the read model `moderator_actions`, which only the projection writes. */
@Injectable()
export class ModeratorActionRepository {
  constructor(
    @InjectRepository(ModeratorActionEntity) private readonly actions: Repository<ModeratorActionEntity>,
  ) {}

  /**
   * Finds actions, newest first.
   * @param beforeId only actions with a lower id; undefined for no bound
   * @param moderatorId only actions of this moderator; undefined for those of all moderators
   */
  findBefore(
    beforeId: number | undefined,
    moderatorId: number | undefined,
    limit: number,
  ): Promise<ModeratorActionEntity[]> {
    return this.actions.find({
      where: {
        ...(beforeId === undefined ? {} : { id: LessThan(beforeId) }),
        ...(moderatorId === undefined ? {} : { moderatorId }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }
}
