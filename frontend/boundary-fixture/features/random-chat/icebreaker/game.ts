export const game = 'game';
