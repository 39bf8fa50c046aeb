import { limits } from '@thaw/contract/limits';
import { DomainError } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type { BlockCommand, BlockUser, UnblockUser } from './block.commands';
import type { BlockEvent } from './block.events';

export interface BlockState {
  /** When the block began; null while the user is not blocked. */
  blockedAt: Date | null;
}

/** @throws DomainError not_found, limit_reached */
const decide = (command: BlockCommand, state: BlockState): readonly BlockEvent[] => {
  switch (command.type) {
    case 'BlockUser':
      return decideBlock(command, state);
    case 'UnblockUser':
      return decideUnblock(command, state);
    default:
      return command satisfies never;
  }
};

const decideBlock = (command: BlockUser, state: BlockState): readonly BlockEvent[] => {
  const { eventId, at, blockerId, blockedId, mayBlock, blockedCount } = command;
  if (state.blockedAt) return [];
  // `mayBlock` is false for unknown users and for users never met. Both get the same refusal, so that a caller cannot
  // find out which ids exist.
  if (blockerId === blockedId || !mayBlock) throw new DomainError('not_found');
  if (blockedCount >= limits.blockedUsersMax) throw new DomainError('limit_reached');
  return [{ type: 'PersonBlocked', eventId, occurredAt: at, data: { blockerId, blockedId } }];
};

const decideUnblock = (
  { eventId, at, blockerId, blockedId }: UnblockUser,
  state: BlockState,
): readonly BlockEvent[] => {
  if (!state.blockedAt) throw new DomainError('not_found');
  return [{ type: 'PersonUnblocked', eventId, occurredAt: at, data: { blockerId, blockedId } }];
};

const evolve = (state: BlockState, event: BlockEvent): BlockState => {
  switch (event.type) {
    case 'PersonBlocked':
      return { blockedAt: event.occurredAt };
    case 'PersonUnblocked':
      return { blockedAt: null };
    default:
      event satisfies never;
      return state;
  }
};

export const blockDecider: Decider<BlockState, BlockCommand, BlockEvent> = {
  initialState: () => ({ blockedAt: null }),
  evolve,
  decide,
};
