import { credentialsSchema } from '@thaw/contract/http';

/** Whether the server would accept `text` as an email address. */
export const isEmail = (text: string): boolean => credentialsSchema.shape.email.safeParse(text).success;
