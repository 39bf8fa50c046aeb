export const stage = 'stage';
