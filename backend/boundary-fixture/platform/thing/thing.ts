import { service } from '../../modules/one/application/knows-transport';

export const thing = service;
