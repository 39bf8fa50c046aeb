/** Causes and reverts a fault. */
export interface FaultEffect {
  begin(): Promise<void>;
  /** Resolves when the cause is removed and the process or store works again. */
  end(): Promise<void>;
}
