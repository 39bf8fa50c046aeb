import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Decider } from './decider.types';
import { StreamVersionConflictError } from './event-store.errors';
import { EventStoreRepository } from './event-store.repository';
import { EventTypeRegistry } from './event-type.registry';
import type { NewEvent, StoredEvent } from './stored-event.types';

/** Concurrent writers of one stream are rare, so four conflicts in a row mean a bug or an overload. */
export const MAX_ATTEMPTS = 4;

/**
 * Executes commands: loads the stream, decides and appends. On a version conflict it starts over, with at most
 * `MAX_ATTEMPTS` attempts in all.
 */
@Injectable()
export class CommandExecutorService {
  constructor(
    private readonly eventStore: EventStoreRepository,
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
  ) {}

  /**
   * Runs `work` in one transaction, so that it can execute commands and also write to plain tables. On a version
   * conflict, the whole transaction is retried.
   * @throws whatever `work` throws; StreamVersionConflictError after the last attempt.
   */
  async runInTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(work);
      } catch (error) {
        const mayRetry = error instanceof StreamVersionConflictError && attempt < MAX_ATTEMPTS;
        if (!mayRetry) throw error;
      }
    }
  }

  /**
   * Executes a command on a stream. A conflict in a given transaction is thrown at once: the caller has to retry the
   * whole transaction, as `runInTransaction` does.
   * @param manager the transaction to run in; without it, each attempt has its own.
   * @returns the state after the command, and the events that were appended.
   * @throws DomainError from `decide`; StreamVersionConflictError after the last attempt.
   */
  async execute<State, Command, Event extends NewEvent>(
    streamId: string,
    decider: Decider<State, Command, Event | StoredEvent>,
    command: Command,
    manager?: EntityManager,
  ): Promise<{ state: State; events: StoredEvent[] }> {
    for (let attempt = 1; ; attempt += 1) {
      const history = await this.eventStore.read(streamId, manager);
      // Events of a newer release count towards the version but are not folded.
      const known = history.filter((event) => this.eventTypes.knows(event));
      const stateBefore = fold(decider, decider.initialState(), known);
      const newEvents = decideNewEvents<State, Command, Event>(decider, command, stateBefore);
      try {
        const events = await this.eventStore.append(streamId, history.length, newEvents, manager);
        return { state: fold(decider, stateBefore, newEvents), events };
      } catch (error) {
        const mayRetry = error instanceof StreamVersionConflictError && !manager && attempt < MAX_ATTEMPTS;
        if (!mayRetry) throw error;
      }
    }
  }

  /**
   * Executes the first command of a stream without loading the stream, which is empty. The caller must have just
   * created the stream id, so that no other command uses it.
   * @throws DomainError from `decide`; StreamVersionConflictError when the stream exists.
   */
  async executeFirst<State, Command, Event extends NewEvent>(
    streamId: string,
    decider: Decider<State, Command, Event | StoredEvent>,
    command: Command,
    manager?: EntityManager,
  ): Promise<{ state: State; events: StoredEvent[] }> {
    const stateBefore = decider.initialState();
    const newEvents = decideNewEvents<State, Command, Event>(decider, command, stateBefore);
    const events = await this.eventStore.append(streamId, 'none', newEvents, manager);
    return { state: fold(decider, stateBefore, newEvents), events };
  }
}

const fold = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  stateBefore: State,
  events: readonly Event[],
): State => events.reduce<State>((state, event) => decider.evolve(state, event), stateBefore);

/**
 * `Decider` has the same event type for `decide` and `evolve`. It includes stored events, because `evolve` takes them,
 * but `decide` returns only new events, so the cast is safe.
 */
const decideNewEvents = <State, Command, Event extends NewEvent>(
  decider: Decider<State, Command, Event | StoredEvent>,
  command: Command,
  state: State,
): readonly Event[] => decider.decide(command, state) as readonly Event[];
