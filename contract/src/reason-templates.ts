import type { HouseRule } from './safety.js';

/** Templates for the facts of a decision. Moderators edit the text. `[date]` is replaced by the date of the chat. */
export const reasonTemplates: Record<HouseRule, string> = {
  no_unwanted_sexual:
    'On [date] you went on with sexual messages or pictures that the other person had not asked for.',
  no_hate: 'On [date] you insulted somebody for who they are.',
  no_threats: 'On [date] you threatened somebody.',
  no_private_data: 'On [date] you pressed somebody for, or published, private details.',
  no_spam: 'On [date] you sent the same advertisement to several people.',
  adults_only: 'On [date] you wrote that you are under 18.',
  no_illegal: 'On [date] you sent material that the law forbids.',
};
