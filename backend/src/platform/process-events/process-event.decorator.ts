import type {
  ProcessEventMap,
  ProcessEventName,
  TransactionEventMap,
  TransactionEventName,
} from './process-event-map.types';

const REACTIONS = Symbol('process-event reactions');

/** A method that reacts to an event. */
export interface ReactionMetadata {
  kind: 'process' | 'transaction';
  event: ProcessEventName | TransactionEventName;
  method: string;
  /** Reactions to one event run in ascending order. */
  order: number;
}

/**
 * Accepts synchronous and asynchronous methods, and methods whose parameter has only some fields of the event.
 * TypeScript's own `TypedPropertyDescriptor` would accept methods of exactly one type.
 */
interface ReactionDescriptor<Event> {
  value?: (event: Event) => void | Promise<void>;
}
type ReactionDecorator<Event> = (
  prototype: object,
  method: string,
  descriptor: ReactionDescriptor<Event>,
) => void;

/** Returns the reactions declared on the methods of a prototype; empty if there are none. */
export const readReactions = (prototype: object): readonly ReactionMetadata[] =>
  (Reflect.getMetadata(REACTIONS, prototype) ?? []) as readonly ReactionMetadata[];

const recordReaction = (prototype: object, reaction: ReactionMetadata): void =>
  Reflect.defineMetadata(REACTIONS, [...readReactions(prototype), reaction], prototype);

/**
 * Calls the method of a provider with each event of this name in this process. The compiler checks the method's
 * parameter against `ProcessEventMap`.
 * @param order position among the reactions to the same event, ascending; 0 by default. Several reactions may have the
 * same order.
 */
export const OnProcessEvent =
  <Name extends ProcessEventName>(event: Name, order = 0): ReactionDecorator<ProcessEventMap[Name]> =>
  (prototype, method) =>
    recordReaction(prototype, { kind: 'process', event, method, order });

/**
 * Calls the method of a provider with each event of this name, inside the transaction of the change that the event
 * announces. Throwing rolls the transaction back.
 * @param order position among the reactions to the same event, ascending; 0 by default. Start-up fails if two reactions
 * to one event have the same order, because one may depend on the writes of the other.
 */
export const InTransaction =
  <Name extends TransactionEventName>(event: Name, order = 0): ReactionDecorator<TransactionEventMap[Name]> =>
  (prototype, method) =>
    recordReaction(prototype, { kind: 'transaction', event, method, order });
