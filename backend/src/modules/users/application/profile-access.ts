import { Injectable } from '@nestjs/common';

/** Whether the viewer has a reason of one kind to see the other's profile. */
export type Relation = (viewerId: number, userId: number) => Promise<boolean>;

/**
 * Who may read whose profile (A12): oneself, and whoever one of the registered relations speaks for. Features register
 * theirs: partners of a chat, friends, either side of a request.
 */
@Injectable()
export class ProfileAccess {
  private readonly relations: Relation[] = [];

  register(relation: Relation): void {
    this.relations.push(relation);
  }

  async mayRead(viewerId: number, userId: number): Promise<boolean> {
    if (viewerId === userId) return true;
    for (const relation of this.relations) if (await relation(viewerId, userId)) return true;
    return false;
  }
}
