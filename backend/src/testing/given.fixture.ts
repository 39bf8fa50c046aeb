import { DomainError, type DomainErrorCode } from '../platform/errors/domain.errors';

interface Decides<State, Command, Event, Decision> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): Decision;
}

/**
 * `given(...events).when(command).then(...events)` for one decider.
 * @param extractEvents extracts the events from a decision that is not simply a list of events
 * @example
 * const given = createGiven(userDecider);
 * given(registered()).when(chooseGender()).then({ type: 'GenderChosen' });
 */
export const createGiven =
  <State, Command, Event, Decision = readonly object[]>(
    decider: Decides<State, Command, Event, Decision>,
    extractEvents = (decision: Decision): readonly object[] => decision as readonly object[],
  ) =>
  (...history: readonly Event[]) => ({
    when(command: Command) {
      const decide = (): Decision => {
        const state = history.reduce(
          (before, event) => decider.evolve(before, event),
          decider.initialState(),
        );
        return decider.decide(command, state);
      };
      return {
        /** For what `then` cannot express. */
        decide,
        /** Expects exactly these events, in order; each may be given in part. */
        then(...expected: object[]) {
          const events = extractEvents(decide());
          expect(events).toHaveLength(expected.length);
          expect(events).toMatchObject(expected);
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
