import type * as z from 'zod/mini';

/** Stored text as a value of the schema; undefined when it is none, or nothing is stored. */
export const parseJson = <T>(schema: z.ZodMiniType<T>, text: string | null): T | undefined => {
  try {
    const parsed = schema.safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};
