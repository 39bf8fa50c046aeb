/**
 * A decider: what may happen (decide) and what it means once it has (evolve).
 * `decide` throws DomainError to refuse; `evolve` never throws. Time and ids come in the command.
 */
export interface Decider<State, Command, Event> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): readonly Event[];
}
