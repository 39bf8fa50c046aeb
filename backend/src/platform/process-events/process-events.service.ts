import { Injectable, Logger, type OnApplicationBootstrap, Scope } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { readReactions } from './process-event.decorator';
import type {
  ProcessEventMap,
  ProcessEventName,
  TransactionEventMap,
  TransactionEventName,
} from './process-event-map.types';

interface BoundReaction {
  /** `Class.method`, for log lines and errors. */
  name: string;
  order: number;
  run(event: object): void | Promise<void>;
}

/**
 * Publishes typed events inside one process. Reactions are provider methods with `@OnProcessEvent` or `@InTransaction`;
 * they are collected once, before the first event.
 */
@Injectable()
export class ProcessEventsService implements OnApplicationBootstrap {
  private readonly logger = new Logger(ProcessEventsService.name);
  /** By kind and name of the event, such as `process SocketOpened`. */
  private reactions: ReadonlyMap<string, readonly BoundReaction[]> | undefined;

  constructor(private readonly modules: ModulesContainer) {}

  onApplicationBootstrap(): void {
    this.reactions ??= this.collectReactions();
  }

  /**
   * Starts every reaction, in order, and returns without waiting. A failing reaction is logged; it neither stops the
   * others nor reaches the publisher.
   */
  publish<Name extends ProcessEventName>(name: Name, event: ProcessEventMap[Name]): void {
    for (const reaction of this.findReactions('process', name)) {
      try {
        const pending = reaction.run(event);
        if (pending) pending.catch((error: unknown) => this.logFailure(reaction, name, error));
      } catch (error) {
        this.logFailure(reaction, name, error);
      }
    }
  }

  /**
   * Runs the reactions one after another, for publishers that depend on their success.
   * @throws whatever the first failing reaction throws; later reactions do not run.
   */
  async deliver<Name extends ProcessEventName>(name: Name, event: ProcessEventMap[Name]): Promise<void> {
    for (const reaction of this.findReactions('process', name)) await reaction.run(event);
  }

  /**
   * Runs the reactions one after another inside the transaction of `event.manager`.
   * @throws whatever a reaction throws; the caller must let the transaction roll back.
   */
  async runInTransaction<Name extends TransactionEventName>(
    name: Name,
    event: TransactionEventMap[Name],
  ): Promise<void> {
    for (const reaction of this.findReactions('transaction', name)) await reaction.run(event);
  }

  /** @throws Error naming the events that have no reaction. */
  requireReactions(processEvents: readonly string[], transactionEvents: readonly string[]): void {
    const missing = [
      ...processEvents.filter((name) => this.findReactions('process', name).length === 0),
      ...transactionEvents.filter((name) => this.findReactions('transaction', name).length === 0),
    ];
    if (missing.length > 0) throw new Error(`Nothing reacts to ${missing.join(', ')}`);
  }

  private findReactions(kind: 'process' | 'transaction', name: string): readonly BoundReaction[] {
    this.reactions ??= this.collectReactions();
    return this.reactions.get(`${kind} ${name}`) ?? [];
  }

  /** @throws Error if a class with reactions is not a singleton, or reactions of a transaction have the same order. */
  private collectReactions(): ReadonlyMap<string, readonly BoundReaction[]> {
    const collected = new Map<string, BoundReaction[]>();
    const seen = new Set<object>(); // an instance that is registered twice reacts once
    for (const module of this.modules.values()) {
      for (const { instance, scope, metatype } of [
        ...module.providers.values(),
        ...module.controllers.values(),
      ]) {
        // Providers that are values or made by an arrow function have no class, so no decorated methods.
        if (typeof metatype !== 'function' || !metatype.prototype) continue;
        const reactions = readReactions(metatype.prototype as object);
        if (reactions.length === 0 || (instance && seen.has(instance))) continue;
        if (!instance || (scope ?? Scope.DEFAULT) !== Scope.DEFAULT)
          throw new Error(`${metatype.name} reacts to events and must be a singleton`);
        seen.add(instance);
        for (const { kind, event, method, order } of reactions) {
          const key = `${kind} ${event}`;
          const earlier = collected.get(key) ?? [];
          const name = `${metatype.name}.${method}`;
          // A reaction of a transaction may depend on the writes of another, so their order must be explicit.
          const clash = kind === 'transaction' && earlier.find((other) => other.order === order);
          if (clash) throw new Error(`${name} and ${clash.name} share order ${order} of ${event}`);
          const run = (instance as Record<string, BoundReaction['run']>)[method] as BoundReaction['run'];
          collected.set(key, [...earlier, { name, order, run: run.bind(instance) }]);
        }
      }
    }
    for (const reactions of collected.values()) reactions.sort((one, other) => one.order - other.order);
    return collected;
  }

  private logFailure({ name }: BoundReaction, event: string, error: unknown): void {
    this.logger.error(
      `${name} failed on ${event}: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
    );
  }
}
