export { stage } from '../components/stage';
