import type {
  ProcessEventMap,
  ProcessEventName,
  TransactionEventMap,
  TransactionEventName,
} from './process-event-map.types';

const REACTIONS = Symbol('process-event reactions');

/** One method that reacts to one event. */
export interface ReactionMetadata {
  kind: 'process' | 'transaction';
  event: ProcessEventName | TransactionEventName;
  method: string;
  /** Reactions to one event run by ascending order. */
  order: number;
}

/** Not TypedPropertyDescriptor, which is invariant: a method may take less than the event and return either kind. */
interface ReactionDescriptor<Event> {
  value?: (event: Event) => void | Promise<void>;
}
type ReactionDecorator<Event> = (
  prototype: object,
  method: string,
  descriptor: ReactionDescriptor<Event>,
) => void;

const record = (prototype: object, reaction: ReactionMetadata): void => {
  const known = (Reflect.getMetadata(REACTIONS, prototype) ?? []) as readonly ReactionMetadata[];
  Reflect.defineMetadata(REACTIONS, [...known, reaction], prototype);
};

/**
 * Calls the method of a provider with each event of this name that happens in this process. The compiler checks the
 * method's parameter against `ProcessEventMap`.
 * @param order position among the reactions to the same event, ascending; 0 unless given.
 */
export const OnProcessEvent =
  <Name extends ProcessEventName>(event: Name, order = 0): ReactionDecorator<ProcessEventMap[Name]> =>
  (prototype, method) =>
    record(prototype, { kind: 'process', event, method, order });

/**
 * Runs the method inside the transaction that is about to commit the event; throwing refuses it.
 * @param order position among the reactions to the same event, ascending; must differ between them.
 */
export const InTransaction =
  <Name extends TransactionEventName>(event: Name, order = 0): ReactionDecorator<TransactionEventMap[Name]> =>
  (prototype, method) =>
    record(prototype, { kind: 'transaction', event, method, order });

/** The reactions declared on a class; empty when there are none. */
export const reactionsOf = (prototype: object): readonly ReactionMetadata[] =>
  (Reflect.getMetadata(REACTIONS, prototype) ?? []) as readonly ReactionMetadata[];
