import type * as z from 'zod/mini';

/** Parses stored JSON; returns undefined for null, for invalid JSON and for a value that does not match the schema. */
export const parseJson = <T>(schema: z.ZodMiniType<T>, text: string | null): T | undefined => {
  try {
    const parsed = schema.safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};
