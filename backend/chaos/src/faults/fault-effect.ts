/** How a fault is caused and taken back. */
export interface FaultEffect {
  begin(): Promise<void>;
  /** Resolves when the cause is gone and what was stopped is ready again. */
  end(): Promise<void>;
}
