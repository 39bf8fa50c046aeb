export { game } from '../features/random-chat/icebreaker/game';
