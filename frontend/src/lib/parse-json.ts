import type * as z from 'zod/mini';

/** Parses stored JSON; undefined when it does not match the schema or is null. */
export const parseJson = <T>(schema: z.ZodMiniType<T>, text: string | null): T | undefined => {
  try {
    const parsed = schema.safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};
