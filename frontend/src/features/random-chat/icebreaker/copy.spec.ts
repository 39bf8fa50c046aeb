import { copy } from '@/features/random-chat/icebreaker/copy';
import { pageLimits } from '@/lib/page-limits';

/** The sections are those of the product specification, which is not in this repository. */
it.each<[section: string, shown: string, specified: string]>([
  ['§2 active', copy.start, 'Break the Ice'],
  ['§4', copy.ignore, 'Ignore'],
  ['§4', copy.answered, 'You answered'],
  ['§4', copy.match.title, 'The ice is broken!'],
  // The same title in Portuguese.
  ['§4', copy.match.portuguese, 'O gelo foi quebrado!'],
  ['§4', copy.plotTwist.title, 'Plot twist!'],
  ['§4', copy.notices.waiting, 'Waiting response from your chat partner...'],
  ['§4', copy.notices.ignoredByMe, 'You decided to not break the ice'],
  ['§4', copy.notices.ignoredByPartner, 'Your partner decided to not break the ice'],
  ['§4', copy.ignoredByMe.join(' / '), 'You ignored this game / Game ended'],
  ['§4', copy.ignoredByPartner.join(' / '), 'Game cancelled by partner / You can no longer respond'],
])("%s: shows '%s' as specified", (_section, shown, specified) => {
  expect(shown).toBe(specified);
});

it('shows the celebration for 5 s and the plot twist for 3 s', () => {
  expect([pageLimits.celebrationMs, pageLimits.plotTwistMs]).toEqual([5_000, 3_000]);
});
