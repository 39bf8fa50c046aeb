export { store } from '../stores/store';
