import { type DynamicModule, Injectable, Logger, Module, Scope, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { InTransaction, OnProcessEvent } from './process-event.decorator';
import type { ProcessEventMap, TransactionEventMap } from './process-event-map.types';
import { ProcessEventsService } from './process-events.service';
import { ProcessEventsModule } from './process-events.module';

/** What the reactions below record, in order. */
const recorded: string[] = [];

/** With the order -1, its reactions come before those of `Recording`. */
@Injectable()
class Failing {
  @OnProcessEvent('OnlineChanged', -1)
  async reject(): Promise<void> {
    throw new Error('rejected');
  }

  @OnProcessEvent('OutboxBecameNonEmpty', -1)
  throwAtOnce(): void {
    throw new Error('thrown');
  }
}

@Injectable()
class Recording {
  @OnProcessEvent('OutboxBecameNonEmpty')
  recordOutbox({ shard }: ProcessEventMap['OutboxBecameNonEmpty']): void {
    recorded.push(`outbox ${shard}`);
  }

  @OnProcessEvent('OnlineChanged')
  async recordOnline({ userIds }: ProcessEventMap['OnlineChanged']): Promise<void> {
    recorded.push(`online ${userIds.join()}`);
  }

  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  recordLapsedOrRestored(): void {
    recorded.push('lapsed or restored');
  }
}

/** Refuses the avatar `stolen`. */
@Injectable()
class FirstInTransaction {
  @InTransaction('ProfileChanging', 1)
  async check({ avatar }: TransactionEventMap['ProfileChanging']): Promise<void> {
    recorded.push('first');
    if (avatar === 'stolen') throw new Error('refused');
  }
}

@Injectable()
class SecondInTransaction {
  @InTransaction('ProfileChanging', 2)
  check({ userId }: TransactionEventMap['ProfileChanging']): void {
    recorded.push(`second ${userId}`);
  }
}

@Injectable()
class SameOrder {
  @InTransaction('ProfileChanging', 1)
  check(): void {}
}

@Injectable({ scope: Scope.TRANSIENT })
class NotASingleton {
  @OnProcessEvent('OutboxBecameNonEmpty')
  react(): void {}
}

const startApplication = async (
  providers: readonly Type[],
  imports: (Type | DynamicModule)[] = [ProcessEventsModule],
) => {
  @Module({ imports, providers: [...providers] })
  class TestModule {}
  return NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
};

const createProcessEvents = async (...providers: Type[]): Promise<ProcessEventsService> =>
  (await startApplication(providers)).get(ProcessEventsService);

const createProfileChange = (avatar: string) => ({
  userId: 7,
  avatar,
  previousAvatar: null,
  manager: {} as EntityManager,
});

describe('ProcessEventsService', () => {
  const logError = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);

  beforeEach(() => {
    recorded.length = 0;
    logError.mockClear();
  });

  it('calls every method that reacts to a published event', async () => {
    const events = await createProcessEvents(Recording);
    events.publish('OutboxBecameNonEmpty', { shard: 3 });
    events.publish('LeaseLapsed', {});
    events.publish('SubscriberRestored', {});
    expect(recorded).toEqual(['outbox 3', 'lapsed or restored', 'lapsed or restored']);
  });

  it('logs a reaction that throws and still runs the others', async () => {
    const events = await createProcessEvents(Failing, Recording);
    events.publish('OutboxBecameNonEmpty', { shard: 3 });
    expect(recorded).toEqual(['outbox 3']);
    expect(logError.mock.calls[0]?.[0]).toContain(
      'Failing.throwAtOnce failed on OutboxBecameNonEmpty: Error: thrown',
    );
  });

  it('logs a reaction whose promise rejects and still runs the others', async () => {
    const events = await createProcessEvents(Failing, Recording);
    events.publish('OnlineChanged', { userIds: [1] });
    await Promise.resolve(); // the rejection is logged in a microtask
    expect(recorded).toEqual(['online 1']);
    expect(logError.mock.calls[0]?.[0]).toContain('Failing.reject failed on OnlineChanged');
  });

  it('makes `deliver` reject with the first failure of a reaction, and runs no later reaction', async () => {
    const events = await createProcessEvents(Failing, Recording);
    await expect(events.deliver('OnlineChanged', { userIds: [1] })).rejects.toThrow('rejected');
    expect(recorded).toEqual([]);
  });

  it('runs the reactions of a transaction by their order, not by that of their providers', async () => {
    const events = await createProcessEvents(SecondInTransaction, FirstInTransaction);
    await events.runInTransaction('ProfileChanging', createProfileChange('own'));
    expect(recorded).toEqual(['first', 'second 7']);
  });

  it('makes a transaction fail when a reaction refuses, and runs no later reaction', async () => {
    const events = await createProcessEvents(SecondInTransaction, FirstInTransaction);
    await expect(events.runInTransaction('ProfileChanging', createProfileChange('stolen'))).rejects.toThrow(
      'refused',
    );
    expect(recorded).toEqual(['first']);
  });

  it('makes start-up fail when two reactions of a transaction have the same order', async () => {
    await expect(startApplication([FirstInTransaction, SameOrder])).rejects.toThrow(
      'SameOrder.check and FirstInTransaction.check share order 1 of ProfileChanging',
    );
  });

  it('makes start-up fail when a class that reacts is not a singleton', async () => {
    await expect(startApplication([NotASingleton])).rejects.toThrow(
      'NotASingleton reacts to events and must be a singleton',
    );
  });

  it('makes start-up fail when nothing reacts to an event, if the module has the completeness check', async () => {
    const eventsModule = ProcessEventsModule.withCompletenessCheck();
    await expect(startApplication([Recording], [eventsModule])).rejects.toThrow(
      /Nothing reacts to SocketOpened, SocketClosed, .*ProfileChanging/,
    );
  });
});
