import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { ModeratorActionEntity } from './moderator-action.entity';

/** Queries of the read model `moderator_actions`, which only the projection writes. */
@Injectable()
export class ModeratorActionRepository {
  constructor(
    @InjectRepository(ModeratorActionEntity) private readonly actions: Repository<ModeratorActionEntity>,
  ) {}

  /** The actions with an id below `beforeId`, newest first; of all moderators when `moderatorId` is undefined. */
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
