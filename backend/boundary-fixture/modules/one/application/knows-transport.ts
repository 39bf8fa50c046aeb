import { inner } from '../../two/infrastructure/inner';
import { controller } from '../transport/controller';

export const service = () => [inner, controller];
