/** Causes and reverts a fault. */
export interface FaultEffect {
  begin(): Promise<void>;
  /** Resolves when the cause is removed and what was stopped is ready again. */
  end(): Promise<void>;
}
