import { Injectable, Logger, type OnApplicationBootstrap, Scope, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type ReactionMetadata, readReactions } from './process-event.decorator';
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

/** By `toKey` of an event, in the order in which they run. */
type ReactionsByKey = ReadonlyMap<string, readonly BoundReaction[]>;

/**
 * Publishes typed events inside one process. Reactions are provider methods with `@OnProcessEvent` or `@InTransaction`;
 * they are collected once, during start-up or at the first event.
 */
@Injectable()
export class ProcessEventsService implements OnApplicationBootstrap {
  private readonly logger = new Logger(ProcessEventsService.name);
  private reactions: ReactionsByKey | undefined;

  constructor(private readonly modules: ModulesContainer) {}

  /** Collects the reactions, so that invalid ones make start-up fail. */
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

  private findReactions(kind: ReactionMetadata['kind'], name: string): readonly BoundReaction[] {
    this.reactions ??= this.collectReactions();
    return this.reactions.get(toKey(kind, name)) ?? [];
  }

  /** @throws Error if a class with reactions is not a singleton, or reactions in a transaction have the same order */
  private collectReactions(): ReactionsByKey {
    const collected = new Map<string, BoundReaction[]>();
    const seen = new Set<object>(); // an instance that is registered twice reacts once
    for (const { instance, scope, metatype } of this.listProviders()) {
      if (!isClass(metatype)) continue; // only classes have decorated methods
      const declared = readReactions(metatype.prototype as object);
      if (declared.length === 0) continue;
      if (instance && seen.has(instance)) continue;
      const hasOtherScope = (scope ?? Scope.DEFAULT) !== Scope.DEFAULT;
      if (!instance || hasOtherScope)
        throw new Error(`${metatype.name} reacts to events and must be a singleton`);
      seen.add(instance);
      for (const reaction of declared) {
        const { kind, event } = reaction;
        const key = toKey(kind, event);
        const earlier = collected.get(key) ?? [];
        const bound = bindReaction(instance, metatype.name, reaction);
        if (kind === 'transaction') requireOtherOrder(bound, earlier, event);
        collected.set(key, [...earlier, bound]);
      }
    }
    for (const reactions of collected.values()) reactions.sort((one, other) => one.order - other.order);
    return collected;
  }

  /** The providers and controllers of all modules, in Nest's internal form. */
  private listProviders() {
    return [...this.modules.values()].flatMap((module) => [
      ...module.providers.values(),
      ...module.controllers.values(),
    ]);
  }

  private logFailure({ name }: BoundReaction, event: string, error: unknown): void {
    this.logger.error(
      `${name} failed on ${event}: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
    );
  }
}

/** Returns a key such as `process SocketOpened`. */
const toKey = (kind: ReactionMetadata['kind'], event: string): string => `${kind} ${event}`;

/** Whether Nest's `metatype` of a provider is a class. It is null for a value, and may be an arrow function. */
const isClass = (metatype: unknown): metatype is Type =>
  typeof metatype === 'function' && metatype.prototype !== undefined;

const bindReaction = (
  instance: object,
  className: string,
  { method, order }: ReactionMetadata,
): BoundReaction => {
  const run = Reflect.get(instance, method) as BoundReaction['run'];
  return { name: `${className}.${method}`, order, run: run.bind(instance) };
};

/**
 * A reaction in a transaction may depend on the writes of another, so their order must be explicit.
 * @throws Error if one of the earlier reactions to the event has the same order
 */
const requireOtherOrder = (
  { name, order }: BoundReaction,
  earlier: readonly BoundReaction[],
  event: string,
): void => {
  const clash = earlier.find((other) => other.order === order);
  if (clash) throw new Error(`${name} and ${clash.name} share order ${order} of ${event}`);
};
