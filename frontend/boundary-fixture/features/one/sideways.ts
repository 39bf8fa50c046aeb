import { deep } from '../two/deep';

export const sideways = deep;
