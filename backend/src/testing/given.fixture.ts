import { DomainError, type DomainErrorCode } from '../platform/errors/domain.errors';

interface TestedDecider<State, Command, Event, Decision> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): Decision;
}

/**
 * Creates a function for tests of one decider: `given(...pastEvents).when(command).then(...newEvents)`.
 * @param extractEvents extracts the events from a decision. Must be given unless the decision is the list of events.
 * @example
 * const given = createGiven(userDecider);
 * given(registered()).when(chooseGender()).then({ type: 'GenderChosen' });
 */
export const createGiven =
  <State, Command, Event, Decision = readonly object[]>(
    decider: TestedDecider<State, Command, Event, Decision>,
    extractEvents = (decision: Decision): readonly object[] => decision as readonly object[],
  ) =>
  (...pastEvents: readonly Event[]) => ({
    when(command: Command) {
      const decide = (): Decision => {
        const state = pastEvents.reduce(
          (previous, event) => decider.evolve(previous, event),
          decider.initialState(),
        );
        return decider.decide(command, state);
      };
      return {
        /** Returns the decision itself, for assertions that the methods below do not cover. */
        decide,
        /** Expects exactly these events, in order. An expected event may leave out properties. */
        then(...expected: object[]) {
          expect(extractEvents(decide())).toMatchObject(expected);
        },
        thenNothing() {
          expect(extractEvents(decide())).toEqual([]);
        },
        thenThrows(code: DomainErrorCode) {
          let refusal: unknown;
          try {
            decide();
          } catch (error) {
            refusal = error;
          }
          expect(refusal).toBeInstanceOf(DomainError);
          expect(refusal).toMatchObject({ code });
        },
      };
    },
  });
