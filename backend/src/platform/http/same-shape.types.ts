/** `true` if the types are identical, including optional and readonly modifiers, else `false`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/**
 * `true` if both types have the same fields with the same types and modifiers, else `false`. Stricter than
 * `implements`, which accepts additional fields and narrower types, but whose errors name the field that differs.
 */
export type SameShape<A, B> = Same<{ [K in keyof A]: A[K] }, { [K in keyof B]: B[K] }>;

/** Compiles only with the type argument `true`: `assertType<SameShape<CredentialsDto, Credentials>>()`. */
export const assertType = <_Expected extends true>(): void => undefined;
