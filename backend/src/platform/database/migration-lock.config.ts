/**
 * Key of the advisory lock that a process holds while it migrates the database or rebuilds read models. The number is
 * arbitrary.
 */
export const MIGRATION_LOCK = 7_284_610;
