import { page } from '../app/page';

export const upwards = page;
