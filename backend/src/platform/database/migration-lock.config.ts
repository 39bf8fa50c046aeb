/** An arbitrary number, shared by all Thaw processes. Held by a process that migrates, or that rebuilds read models. */
export const MIGRATION_LOCK = 7_284_610;
