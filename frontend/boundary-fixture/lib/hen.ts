import { type Egg } from './egg';

export interface Hen {
  from: Egg;
}
