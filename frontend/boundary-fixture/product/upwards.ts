export { page } from '../app/page';
