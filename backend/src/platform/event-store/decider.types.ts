/**
 * A decider: `decide` turns a command into events, `evolve` applies an event to the state.
 * `decide` throws DomainError to refuse; `evolve` never throws. Time and ids come with the command.
 */
export interface Decider<State, Command, Event> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): readonly Event[];
}
