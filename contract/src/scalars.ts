import * as z from 'zod/mini';
import { limits } from './limits.js';

/** Ids of users, requests, history entries and private messages: positive integers below 2^53. */
export const idSchema = z.int().check(z.positive());

const shortString = (maximum: number) => z.string().check(z.minLength(1), z.maxLength(maximum));

export const sessionIdSchema = shortString(limits.sessionIdMaxLength);
export const gameIdSchema = shortString(limits.gameIdMaxLength);
export const clientIdSchema = shortString(limits.clientIdMaxLength);
/** `<epoch ms>-<n>`, made by the server, increasing within a session. */
export const randomMessageIdSchema = z.string().check(z.regex(/^\d{1,16}-\d{1,10}$/));
/** ISO 8601, UTC. */
export const timestampSchema = z.string();

export const genderSchema = z.enum(['male', 'female']);
export type Gender = z.infer<typeof genderSchema>;

export const preferenceSchema = z.enum(['both', 'male', 'female']);
export type Preference = z.infer<typeof preferenceSchema>;

export const messageTypeSchema = z.enum(['text', 'image', 'mixed']);
export type MessageType = z.infer<typeof messageTypeSchema>;

/** Sender of a system notice. */
export const SYSTEM_SENDER_ID = 0;
