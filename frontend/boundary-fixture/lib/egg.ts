import { type Hen } from './hen';

export interface Egg {
  laidBy: Hen;
}
