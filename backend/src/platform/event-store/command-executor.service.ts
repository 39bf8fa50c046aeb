import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Decider } from './decider.types';
import { StreamVersionConflictError } from './event-store.errors';
import { EventStoreRepository } from './event-store.repository';
import { EventTypeRegistry } from './event-type.registry';
import type { NewEvent, StoredEvent } from './stored-event.types';

/** Concurrent writers of one stream are rare, so losing to them four times in a row means a bug or an overload. */
const ATTEMPTS = 4;

/**
 * Executes commands: loads the stream, decides and appends. On a version conflict it starts over, up to three times.
 */
@Injectable()
export class CommandExecutorService {
  constructor(
    private readonly eventStore: EventStoreRepository,
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
  ) {}

  /**
   * Runs commands and writes to plain tables in one transaction, which is retried as a whole on a version conflict.
   * @throws whatever `work` throws; StreamVersionConflictError after the last attempt.
   */
  async runInTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(work);
      } catch (error) {
        if (!(error instanceof StreamVersionConflictError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * @param manager the transaction to run in. A conflict inside it is thrown at once, because a retry would see the
   * same snapshot; the caller retries the whole transaction.
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
      const before = known.reduce((state, event) => decider.evolve(state, event), decider.initialState());
      const decided = decider.decide(command, before) as readonly Event[];
      try {
        const events = await this.eventStore.append(streamId, history.length, decided, manager);
        return { state: decided.reduce((state, event) => decider.evolve(state, event), before), events };
      } catch (error) {
        if (!(error instanceof StreamVersionConflictError) || manager || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Executes the first command of a stream, whose id nothing else knows yet, without loading the empty stream.
   * @throws DomainError from `decide`; StreamVersionConflictError when the stream exists.
   */
  async executeFirst<State, Command, Event extends NewEvent>(
    streamId: string,
    decider: Decider<State, Command, Event | StoredEvent>,
    command: Command,
    manager?: EntityManager,
  ): Promise<{ state: State; events: StoredEvent[] }> {
    const before = decider.initialState();
    const decided = decider.decide(command, before) as readonly Event[];
    const events = await this.eventStore.append(streamId, 'none', decided, manager);
    return { state: decided.reduce((state, event) => decider.evolve(state, event), before), events };
  }
}
