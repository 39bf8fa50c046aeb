export { builder } from '../testing/builder';
