import { gameCopy } from '@/features/random-chat/icebreaker/game-copy';

it('§4: the notices of Break the Ice, letter by letter', () => {
  expect(gameCopy).toEqual({
    waiting: 'Waiting response from your chat partner...',
    ignoredByMe: 'You decided to not break the ice',
    ignoredByPartner: 'Your partner decided to not break the ice',
  });
});
