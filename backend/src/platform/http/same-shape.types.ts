type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `true` when both have the same fields of the same types, to the last modifier; `false` otherwise. */
export type SameShape<A, B> = Same<{ [K in keyof A]: A[K] }, { [K in keyof B]: B[K] }>;

/** Compiles only when given `true`: `assertType<SameShape<CredentialsDto, Credentials>>()`. */
export const assertType = <_Expected extends true>(): void => undefined;
