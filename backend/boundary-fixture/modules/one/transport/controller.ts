import { service } from '../application/knows-transport';

export const controller = () => service();
