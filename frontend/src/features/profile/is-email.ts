import { credentialsSchema } from '@thaw/contract/http';

/** Whether the server would take it for an address. */
export const isEmail = (text: string): boolean => credentialsSchema.shape.email.safeParse(text).success;
